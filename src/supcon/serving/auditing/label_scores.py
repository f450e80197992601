"""How well every image's label is supported by other images, and which label they would give it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supcon.base.errors import RequestError
from supcon.evaluation import usual_neighbours
from supcon.serving.auditing.label_estimators import (
    Classes,
    Rows,
    by_classifier,
    by_gradient,
    by_neighbours,
    by_prototypes,
    other_neighbours,
)
from supcon.serving.cosine_search import Neighbours

ESTIMATORS = ("neighbours", "prototype", "gradient", "classifier")
_SMALLEST = 1e-6
"""Smaller probabilities count as this one, so that no estimator decides alone."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelScores:
    """How well labels are supported, by four estimators that do not use the image's own label."""

    estimates: dict[str, NDArray[np.float32]]
    """[image, class] by estimator: its probabilities."""
    label_probabilities: dict[str, NDArray[np.float32]]
    """[image] by estimator: its probability of the image's own label."""
    score: NDArray[np.float32]
    """[image]: geometric mean of these; the lowest look most wrong."""
    probabilities: NDArray[np.float32]
    """[image, class]: mean over the estimators."""
    suggested: NDArray[np.int64]
    """[image]: the class with the largest of these."""
    unanimous: NDArray[np.bool_]
    """[image]: whether all estimators have that class first."""

    @property
    def order(self) -> NDArray[np.int64]:
        """The images, those whose label looks most wrong first."""
        return np.argsort(self.score, kind="stable")


def label_scores(
    rows: Rows, labels: Classes, classes: int, near: Neighbours | None = None, seed: int = 0
) -> LabelScores:
    """Scores the labels of images with the unit-norm representations `rows`."""
    if len(np.unique(labels)) < 2:
        raise RequestError("The labels can only be audited of images of at least two classes; give more images.")
    near = near or other_neighbours(rows, usual_neighbours(len(rows)))
    estimates = {
        "neighbours": by_neighbours(near, labels, classes),
        "prototype": by_prototypes(rows, labels, classes),
        "gradient": by_gradient(rows, labels, classes, seed),
        "classifier": by_classifier(rows, labels, classes, seed),
    }
    every_row = np.arange(len(labels))
    own = {name: estimate[every_row, labels] for name, estimate in estimates.items()}
    logs = np.mean([np.log(np.clip(values, _SMALLEST, 1)) for values in own.values()], axis=0)
    probabilities = np.mean(list(estimates.values()), axis=0)
    suggested = probabilities.argmax(1)
    agreed = np.all([estimate.argmax(1) == suggested for estimate in estimates.values()], axis=0)
    return LabelScores(
        estimates=estimates,
        label_probabilities=own,
        score=np.exp(logs).astype(np.float32),
        probabilities=probabilities,
        suggested=suggested,
        unanimous=agreed,
    )


def class_overlap(scores: LabelScores, labels: Classes) -> NDArray[np.float32]:
    """[class, class]: the mean probability that images of one class get for the other, averaged over both directions.

    0: the classes are separated; 0.5: their images are indistinguishable. The diagonal is 0.
    """
    classes = scores.probabilities.shape[1]
    counts = np.bincount(labels, minlength=classes)[:, None]
    sums = np.zeros((classes, classes))
    np.add.at(sums, labels, scores.probabilities)
    mean = sums / np.maximum(counts, 1)
    both = (counts > 0) & (counts.T > 0)
    overlap = np.where(both, (mean + mean.T) / 2, 0)
    np.fill_diagonal(overlap, 0)
    return overlap.astype(np.float32)
