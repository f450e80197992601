from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from supcon.report import RunResults, group_runs
from supcon.report.tables.agreement import agreement, same_test_images, verdict


def flipped(run: RunResults, images: list[int]) -> RunResults:
    """The run with another prediction for some images."""
    probabilities = run.outputs.probabilities.copy()
    probabilities[images] = np.roll(probabilities[images], 1, axis=1)
    recipe = {**run.recipe, "method": "simclr"}
    return replace(run, name="other", recipe=recipe, outputs=replace(run.outputs, probabilities=probabilities))


def test_agreement_counts_images(digits_run: RunResults) -> None:
    right = np.flatnonzero(digits_run.outputs.correct)[:7].tolist()
    first, second = group_runs([digits_run, flipped(digits_run, right)])
    table = agreement(first, second)
    correct = int(digits_run.outputs.correct.sum())
    assert (table.both, table.only_first, table.only_second, table.neither) == (correct - 7, 7, 0, 360 - correct)
    assert table.images == 360
    assert table.rows()[1] == ("only digits-supcon correct", 7)


@pytest.mark.parametrize(
    ("images", "worth"), [(1, ", not significant (paired test"), (40, ", significant (paired test")]
)
def test_verdict_says_whether_it_could_be_chance(digits_run: RunResults, images: int, worth: str) -> None:
    right = np.flatnonzero(digits_run.outputs.correct)[:images].tolist()
    first, second = group_runs([digits_run, flipped(digits_run, right)])
    text = verdict(second, first)
    assert worth in text
    assert f"−{100 * images / 360:.1f} points" in text


def test_same_test_images(digits_run: RunResults, make_run: Callable[..., RunResults]) -> None:
    assert same_test_images(digits_run, digits_run)
    assert not same_test_images(digits_run, make_run(10, images=360))
    renamed = replace(digits_run, data={**digits_run.data, "class_names": list("abcdefghij")})
    assert not same_test_images(digits_run, renamed)


def test_equal_labels_of_other_images_are_not_the_same_test_images(digits_run: RunResults) -> None:
    """A stratified split with another seed has the same labels in the same order."""
    first, second = (
        replace(digits_run, outputs=replace(digits_run.outputs, fingerprint=fingerprint)) for fingerprint in "ab"
    )
    assert same_test_images(first, first)
    assert not same_test_images(first, second)
    assert same_test_images(first, digits_run), "results without a fingerprint are compared by their labels"
