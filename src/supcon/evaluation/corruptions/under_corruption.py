"""Accuracy, error and calibration under every corruption and severity, by flat names."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Literal

import torch

from supcon.base.errors import RequestError
from supcon.base.shapes import Images, Labels, Logits
from supcon.data import Split, ordered_loader
from supcon.evaluation.classification.accuracy import top_k_accuracy
from supcon.evaluation.classification.calibration import expected_calibration_error
from supcon.evaluation.corruptions.corrupt import corrupt
from supcon.evaluation.corruptions.parameters import CORRUPTIONS, SEVERITIES, FrostTexture
from supcon.evaluation.representations.encode_split import Encode, centre_crop


def corrupted_batches(
    split: Split,
    image_size: int,
    name: str,
    severity: int,
    *,
    seed: int = 0,
    batch_size: int = 512,
    texture: FrostTexture | Literal["auto"] = "auto",
) -> Iterator[tuple[Images, Labels]]:
    """The centre crops of a split, corrupted; the result does not depend on the batch size."""
    start = 0
    for images, labels in ordered_loader(split, batch_size):
        indices = torch.arange(start, start + len(images))
        middle = centre_crop(images, image_size)
        yield corrupt(middle, name, severity, seed, indices=indices, texture=texture), labels
        start += len(images)


@torch.inference_mode()
def scores_of_batches(
    classify: Encode,
    batches: Iterator[tuple[Images, Labels]],
    device: torch.device | str = "cpu",
    advance: Callable[..., None] = lambda **_: None,
) -> tuple[Logits, Labels]:
    """Logits (by `classify`) and labels of all batches, on the CPU; calls `advance(steps=n)` after each batch."""
    logits, labels = [], []
    for images, some in batches:
        logits.append(classify(images.to(device)).float().cpu())
        labels.append(some)
        advance(steps=len(images))
    if not logits:
        raise RequestError("The data to evaluate on has no images; give other data.")
    return torch.cat(logits), torch.cat(labels)


def severity_measures(
    logits: Logits, labels: Labels, name: str, severity: int, *, bins: int = 15
) -> Iterator[tuple[str, float]]:
    """(name, value) for one severity of one corruption."""
    yield f"corruptions/{name}/{severity}/top1", top_k_accuracy(logits, labels)
    yield f"corruptions/{name}/{severity}/ece", expected_calibration_error(logits.double().softmax(1), labels, bins)


def measures_of_sets(
    classify: Encode,
    batches: Callable[[str, int], Iterator[tuple[Images, Labels]]],
    *,
    names: Sequence[str] = CORRUPTIONS,
    severities: Sequence[int] = SEVERITIES,
    bins: int = 15,
    device: torch.device | str = "cpu",
    advance: Callable[..., None] = lambda **_: None,
) -> Iterator[tuple[str, float]]:
    """(name, value) for each severity of each corruption; `batches(name, severity)` returns its images."""
    for name in names:
        for severity in severities:
            advance(steps=0, note=f"{name} {severity}")
            logits, labels = scores_of_batches(classify, batches(name, severity), device, advance)
            yield from severity_measures(logits, labels, name, severity, bins=bins)


def corruption_measures(
    classify: Encode,
    split: Split,
    image_size: int,
    *,
    names: Sequence[str] = CORRUPTIONS,
    severities: Sequence[int] = SEVERITIES,
    seed: int = 0,
    texture: FrostTexture | Literal["auto"] = "auto",
    bins: int = 15,
    batch_size: int = 512,
    device: torch.device | str = "cpu",
    advance: Callable[..., None] = lambda **_: None,
) -> Iterator[tuple[str, float]]:
    """(name, value) for each severity of each corruption, applied on the fly; calls `advance(steps=n)` after each
    batch."""

    def batches(name: str, severity: int) -> Iterator[tuple[Images, Labels]]:
        return corrupted_batches(split, image_size, name, severity, seed=seed, batch_size=batch_size, texture=texture)

    return measures_of_sets(
        classify, batches, names=names, severities=severities, bins=bins, device=device, advance=advance
    )


def errors_of(measures: Mapping[str, float]) -> dict[str, list[float]]:
    """The top-1 errors of each corruption, one for each severity, as `mean_corruption_error` takes them."""
    errors: dict[str, list[float]] = {}
    for name, _, accuracy in _single(measures, "top1"):
        errors.setdefault(name, []).append(1 - accuracy)
    return errors


def mean_measures(measures: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """(name, value) of accuracy and calibration error over the corruptions, and over them at each severity.

    The 4 extra ones are excluded unless there are no others: published means are over the 15.
    """
    for measure in ("top1", "ece"):
        found = _single(measures, measure)
        counted = [entry for entry in found if entry[0] in CORRUPTIONS] or found
        if counted:
            yield f"corruptions/mean_{measure}", fmean(value for _, _, value in counted)
        for severity in sorted({severity for _, severity, _ in counted}):
            at = [value for _, other, value in counted if other == severity]
            yield f"corruptions/severity_{severity}/mean_{measure}", fmean(at)


def _single(measures: Mapping[str, float], measure: str) -> list[tuple[str, int, float]]:
    """(corruption, severity, value) of the metrics at single severities."""
    parts = [(name.split("/"), value) for name, value in measures.items()]
    return [
        (path[1], int(path[2]), value)
        for path, value in parts
        if len(path) == 4 and path[0] == "corruptions" and path[3] == measure
    ]
