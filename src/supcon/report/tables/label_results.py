"""Results on images with several labels each: by class, and the most confident mistakes."""

import math
from dataclasses import dataclass

import numpy as np

from supcon.report.run_results import RunResults
from supcon.report.tables.mistakes import SHOWN


@dataclass(frozen=True, kw_only=True)
class LabelError:
    """A label of a test image that contradicts a confident prediction."""

    image: int
    label: int
    there: bool
    """Whether the image has the label in the data."""
    probability: float


@dataclass(frozen=True, kw_only=True)
class LabelResult:
    """The results of one class."""

    name: str
    images: int
    """Number of test images with the class."""
    precision: float
    """Average precision; NaN if no test image has the class."""


def label_errors(results: RunResults, limit: int = SHOWN) -> list[LabelError]:
    """The labels with the largest difference from their probability, at least 0.5, at most one per image."""
    labels, probabilities = results.outputs.labels, results.outputs.probabilities
    gaps = np.where(labels < 0, 0, np.abs(probabilities - labels))
    worst, gap = gaps.argmax(axis=1), gaps.max(axis=1)
    images = [int(image) for image in np.argsort(-gap, kind="stable")[:limit] if gap[image] >= 0.5]
    return [
        LabelError(
            image=image,
            label=int(worst[image]),
            there=bool(labels[image, worst[image]] == 1),
            probability=float(probabilities[image, worst[image]]),
        )
        for image in images
    ]


def label_results(results: RunResults) -> list[LabelResult]:
    """One result per class, in the order of the classes."""
    shown = (results.outputs.labels == 1).sum(axis=0).tolist()
    return [
        LabelResult(name=name, images=count, precision=results.measures.get(f"test/class/{name}/ap", math.nan))
        for name, count in zip(results.class_names, shown, strict=True)
    ]
