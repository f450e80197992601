"""The baseline whose errors divide those of a run in the mean corruption error."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from supcon.base.errors import RequestError
from supcon.base.progress import say
from supcon.evaluation import (
    ALEXNET,
    CORRUPTIONS,
    SEVERITIES,
    CorruptionBaseline,
    corruption_error,
    errors_of,
    mean_corruption_error,
    relative_mean_corruption_error,
    run_as_baseline,
)
from supcon.jobs.evaluation.corrupted import CorruptedSet
from supcon.jobs.run_pages import read_results
from supcon.report import same_test_images
from supcon.runs import Run, open_complete_run
from supcon.serving import ModelCard

_WORDNET = re.compile(r"n\d{8}")


def open_baseline(run: Run, given: Path) -> Run:
    """The finished run that is given as a baseline; raises an error if it was tested on other images."""
    other = open_complete_run(given)
    _check_same_data(run, other)
    return other


def find_baseline(
    other: Run | None, card: ModelCard, corrupted: CorruptedSet, evaluate: Callable[[Run], object]
) -> CorruptionBaseline | None:
    """The run `other`, or AlexNet if the classes are ImageNet's; None for other data.

    `evaluate(run)` is called for a baseline that was not evaluated on this corrupted set yet.
    """
    if other is None:
        all_severities = tuple(corrupted.severities) == SEVERITIES
        return ALEXNET if is_imagenet(card) and all_severities else None
    if other.remarks.get("corruptions/set") != corrupted.remark or not _has(other, corrupted):
        say(f"The baseline {other.path} has not been evaluated on this corrupted set yet; it is evaluated first.")
        evaluate(other)
    return run_as_baseline(str(other.path), 1 - other.measures["test/top1"], errors_of(other.measures))


def is_imagenet(card: ModelCard) -> bool:
    """Whether the classes are those of ImageNet, so that AlexNet's published errors apply."""
    wordnet = all(_WORDNET.fullmatch(name) for name in card.class_names)
    return len(card.class_names) == 1000 and (wordnet or card.data.lower().startswith("imagenet"))


def corruption_errors(
    measures: Mapping[str, float], clean_error: float, baseline: CorruptionBaseline
) -> Iterator[tuple[str, float]]:
    """(name, value) of the corruption errors relative to the baseline's, and of their means over the 15."""
    errors = {name: values for name, values in errors_of(measures).items() if name in baseline.errors}
    for name, values in errors.items():
        if baseline.errors[name] > 0:
            yield f"corruptions/{name}/ce", corruption_error(values, name, baseline)
    if set(CORRUPTIONS) <= set(errors):
        try:
            yield "corruptions/mce", mean_corruption_error(errors, baseline)
            yield "corruptions/relative_mce", relative_mean_corruption_error(errors, clean_error, baseline)
        except RequestError as error:  # the baseline loses no accuracy to some corruption: a division by zero
            say(f"The relative mean corruption error cannot be computed: {error}")


def _check_same_data(run: Run, other: Run) -> None:
    first, second = read_results(run), read_results(other)
    if not same_test_images(first, second):
        raise RequestError(
            f"The baseline {other.path} was tested on {len(second.outputs.labels):,} images of {second.data['name']!r} "
            f"and {run.path} on {len(first.outputs.labels):,} of {first.data['name']!r}, which are different images; "
            "give a run that was trained and tested on the same data."
        )


def _has(run: Run, corrupted: CorruptedSet) -> bool:
    names = (f"corruptions/{name}/{severity}/top1" for name in corrupted.names for severity in corrupted.severities)
    return all(name in run.measures for name in names)
