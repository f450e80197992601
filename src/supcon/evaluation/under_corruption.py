"""Accuracy, error and calibration under every corruption and severity, by flat names."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import torch

from supcon.data.image_data import Split
from supcon.data.loader import ordered_loader
from supcon.errors import RequestError
from supcon.evaluation.accuracy import top_k_accuracy
from supcon.evaluation.calibration import expected_calibration_error
from supcon.evaluation.corrupted_sets import SEVERITIES
from supcon.evaluation.corruptions.corrupt import corrupt
from supcon.evaluation.corruptions.parameters import CORRUPTIONS
from supcon.evaluation.encode import Encode, centre_crop
from supcon.shapes import Images, Labels, Logits


def corrupted_batches(
    split: Split, image_size: int, name: str, severity: int, *, seed: int = 0, batch_size: int = 512
) -> Iterator[tuple[Images, Labels]]:
    """The middle of every image of a split, corrupted; the same set whatever the batch size."""
    start = 0
    for images, labels in ordered_loader(split, batch_size):
        indices = torch.arange(start, start + len(images))
        yield corrupt(centre_crop(images, image_size), name, severity, seed, indices=indices), labels
        start += len(images)


@torch.inference_mode()
def scores_of_batches(
    classify: Encode,
    batches: Iterator[tuple[Images, Labels]],
    device: torch.device | str = "cpu",
    advance: Callable[..., None] = lambda **_: None,
) -> tuple[Logits, Labels]:
    """`classify` (images to logits) of all batches, and their labels, on the CPU; `advance(steps=n)` after each."""
    logits, labels = [], []
    for images, some in batches:
        logits.append(classify(images.to(device)).float().cpu())
        labels.append(some)
        advance(steps=len(images))
    if not logits:
        raise RequestError("The set to evaluate on has no images; give one that has some.")
    return torch.cat(logits), torch.cat(labels)


def severity_measures(logits: Logits, labels: Labels, name: str, severity: int) -> Iterator[tuple[str, float]]:
    """(name, value) for one severity of one corruption."""
    yield f"corruptions/{name}/{severity}/top1", top_k_accuracy(logits, labels)
    yield f"corruptions/{name}/{severity}/ece", expected_calibration_error(logits.double().softmax(1), labels)


def corruption_measures(
    classify: Encode,
    split: Split,
    image_size: int,
    *,
    names: Sequence[str] = CORRUPTIONS,
    seed: int = 0,
    batch_size: int = 512,
    device: torch.device | str = "cpu",
    advance: Callable[..., None] = lambda **_: None,
) -> Iterator[tuple[str, float]]:
    """(name, value) for each severity of each corruption, made on the fly; `advance(steps=n)` after each batch."""
    for name in names:
        for severity in SEVERITIES:
            batches = corrupted_batches(split, image_size, name, severity, seed=seed, batch_size=batch_size)
            yield from severity_measures(*scores_of_batches(classify, batches, device, advance), name, severity)


def errors_of(measures: Mapping[str, float]) -> dict[str, list[float]]:
    """The top-1 errors among the measures, as the corruption errors take them: corruption to one for each severity."""
    errors: dict[str, list[float]] = {}
    for flat_name, value in measures.items():
        family, _, rest = flat_name.partition("/")
        if family == "corruptions" and rest.endswith("/top1") and rest.count("/") == 2:
            errors.setdefault(rest.split("/")[0], []).append(1 - value)
    return errors


def mean_measures(measures: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """(name, value) of accuracy and calibration error over all corruptions, and over them at each severity."""
    for measure in ("top1", "ece"):
        per_severity = {
            severity: [
                v for n, v in measures.items() if n.startswith("corruptions/") and n.endswith(f"/{severity}/{measure}")
            ]
            for severity in SEVERITIES
        }
        everything = [value for values in per_severity.values() for value in values]
        if everything:
            yield f"corruptions/mean_{measure}", sum(everything) / len(everything)
        for severity, values in per_severity.items():
            if values:
                yield f"corruptions/severity_{severity}/mean_{measure}", sum(values) / len(values)
