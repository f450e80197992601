"""An audit of labelled images: labels that look wrong, hard pairs, near-duplicates and classes that overlap."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supcon.base.errors import RequestError
from supcon.base.progress import Bar, no_bar
from supcon.data import Layout, ListedImages
from supcon.evaluation import usual_neighbours
from supcon.serving.auditing.hardest_pairs import HardPairs, hard_pairs
from supcon.serving.auditing.label_estimators import other_neighbours
from supcon.serving.auditing.label_scores import LabelScores, class_overlap, label_scores
from supcon.serving.auditing.near_duplicates import SIDE, Duplicates, near_duplicates, small_pictures
from supcon.serving.cosine_search import Neighbours
from supcon.serving.gallery import Gallery


@dataclass(frozen=True, kw_only=True, eq=False)
class Audit:
    """The results of an audit."""

    images: ListedImages
    classes: tuple[str, ...]
    labelled: NDArray[np.int64]
    """Indices of the labelled images; `scores` are in this order."""
    labels: NDArray[np.int64]
    """[labelled]: their classes."""
    scores: LabelScores
    positives: HardPairs
    """The hardest pairs of one class; their numbers are indices into `labelled`."""
    negatives: HardPairs
    """The hardest pairs of two classes."""
    duplicates: Duplicates
    """Among all images."""
    overlap: NDArray[np.float32]
    """[class, class]: see `class_overlap`."""

    @property
    def across_splits(self) -> NDArray[np.bool_]:
        """[pair]: whether the two near-duplicates are in different splits."""
        splits = np.array(self.images.splits)
        return np.asarray(splits[self.duplicates.first] != splits[self.duplicates.second])

    def doubtful(self, confidence: float) -> NDArray[np.bool_]:
        """[labelled]: labels that all estimators would replace by the same class, of at least this mean probability."""
        other = self.scores.suggested != self.labels
        return np.asarray(other & self.scores.unanimous & (self.scores.probabilities.max(1) >= confidence))

    def overlapping(self, count: int, least: float = 0.02) -> list[tuple[str, str, float]]:
        """The pairs of classes that overlap most."""
        rows, columns = np.triu_indices(len(self.classes), 1)
        order = np.argsort(-self.overlap[rows, columns], kind="stable")[:count]
        pairs = [(int(rows[at]), int(columns[at])) for at in order]
        return [
            (self.classes[a], self.classes[b], float(self.overlap[a, b]))
            for a, b in pairs
            if self.overlap[a, b] >= least
        ]


def audit_images(
    gallery: Gallery, images: ListedImages, classes: Sequence[str] = (), progress: Bar = no_bar, seed: int = 0
) -> Audit:
    """Audits the images of a gallery; `classes` come first in the order of the classes."""
    if any("|" in label for label in gallery.labels):
        raise RequestError(f"{images.name} has several labels per image; an audit needs one label per image.")
    found = set(gallery.labels) - {""}
    order = (*(name for name in classes if name in found), *sorted(found - set(classes)))
    number = {name: index for index, name in enumerate(order)}
    every = np.array([number.get(label, -1) for label in gallery.labels], dtype=np.int64)
    labelled = np.flatnonzero(every >= 0)
    if len(labelled) < 3:
        raise RequestError(f"{images.name} has {len(labelled)} labelled images; an audit needs at least three.")
    rows = np.asarray(gallery.representations)
    near = other_neighbours(rows, usual_neighbours(len(rows)))
    pictures = _pictures(images, progress)
    of_labelled = near if len(labelled) == len(rows) else _among(rows[labelled])
    scores = label_scores(rows[labelled], every[labelled], len(order), of_labelled, seed)
    positives, negatives = hard_pairs(rows[labelled], every[labelled])
    return Audit(
        images=images,
        classes=order,
        labelled=labelled,
        labels=every[labelled],
        scores=scores,
        positives=positives,
        negatives=negatives,
        duplicates=near_duplicates(near, pictures),
        overlap=class_overlap(scores, every[labelled]),
    )


def _among(rows: NDArray[np.float32]) -> Neighbours:
    return other_neighbours(rows, usual_neighbours(len(rows)))


def _pictures(images: ListedImages, progress: Bar) -> NDArray[np.float16]:
    """Small grey pictures of all images."""
    layout = Layout(image_size=2 * SIDE, stored_size=2 * SIDE, channels=1)
    parts = []
    with progress("comparing pictures", len(images), "images") as advance:
        for batch in images.batches(layout, 512):
            parts.append(small_pictures(batch.images))
            advance(steps=len(batch.rows))
    return np.concatenate(parts)
