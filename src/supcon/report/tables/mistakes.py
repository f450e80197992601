"""The most confident mistakes, and the results of each class."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from supcon.report.run_results import Outputs
from supcon.report.tables.class_confusion import ConfusionMatrix

SHOWN = 24


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """A test image that was classified wrongly."""

    image: int
    label: int
    predicted: int
    confidence: float
    true_probability: float
    """The predicted probability of the true class."""


@dataclass(frozen=True, kw_only=True)
class ClassResult:
    """The results of one class; NaN if there are no images to divide by."""

    name: str
    images: int
    right: int
    recall: float
    """Share of the class's images that are classified correctly: its accuracy."""

    precision: float
    """Share of the images predicted as the class that are of it."""

    taken_for: str
    """The class that it is most often confused with; empty if there are no mistakes."""


def confident_mistakes(outputs: Outputs, limit: int = SHOWN) -> list[Mistake]:
    """The wrong predictions, the most confident first."""
    wrong = np.flatnonzero(~outputs.correct)
    predicted, confidence = outputs.predicted, outputs.confidence
    most_confident = wrong[np.argsort(-confidence[wrong], kind="stable")][:limit]
    return [
        Mistake(
            image=int(image),
            label=int(outputs.labels[image]),
            predicted=int(predicted[image]),
            confidence=float(confidence[image]),
            true_probability=float(outputs.probabilities[image, outputs.labels[image]]),
        )
        for image in most_confident
    ]


def class_results(matrix: ConfusionMatrix, names: Sequence[str]) -> list[ClassResult]:
    """One result per class, in the order of the classes."""
    totals, given, right = matrix.sum(axis=1).tolist(), matrix.sum(axis=0).tolist(), np.diag(matrix).tolist()
    off = matrix - np.diag(np.diag(matrix))
    return [
        ClassResult(
            name=name,
            images=totals[c],
            right=right[c],
            recall=_share(right[c], totals[c]),
            precision=_share(right[c], given[c]),
            taken_for=names[int(off[c].argmax())] if off[c].any() else "",
        )
        for c, name in enumerate(names)
    ]


def weakest(results: Sequence[ClassResult]) -> ClassResult | None:
    """The class with the lowest accuracy; None if there are no test images."""
    tested = [result for result in results if result.images]
    return min(tested, key=lambda result: result.recall) if tested else None


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
