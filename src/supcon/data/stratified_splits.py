"""Stratified, seeded splits: every class is in every split, and the same seed gives the same split.

A split that the data does not bring is held out from its training images. Data with training and validation images but
no test images is reported on its validation images, and what has to be chosen is chosen on images held out from the
training images, so that nothing is ever chosen on what is reported.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from supcon.base.errors import RequestError

Indices = NDArray[np.int64]
SplitName = Literal["train", "validation", "test"]
SPLIT_OF: Mapping[str, SplitName] = {
    "train": "train",
    "val": "validation",
    "valid": "validation",
    "validation": "validation",
    "test": "test",
}
"""The names that people give to splits."""


@dataclass(frozen=True, kw_only=True)
class Splits:
    """The rows of a collection that a run uses."""

    train: Indices
    validation: Indices
    test: Indices
    unlabelled: Indices
    """Training images without a label, for stage 1 alone."""


def complete_splits(
    given: Mapping[SplitName, Indices],
    labels: Indices,
    class_names: Sequence[str],
    fractions: Mapping[SplitName, float],
    seed: int,
) -> Splits:
    """Holds out from the training images what is missing of the three splits."""
    splits = dict(given)
    if "test" not in splits and "validation" in splits:
        splits["test"] = splits.pop("validation")
    strata = stratify(labels)
    splits["train"], free = _part(splits.get("train", np.arange(len(labels))), strata)
    missing: list[SplitName] = [name for name in ("test", "validation") if name not in splits]
    _check_enough(strata[splits["train"]], class_names, missing)
    for name in missing:
        kept, held = hold_out(strata[splits["train"]], fractions[name], seed, name)
        splits["train"], splits[name] = splits["train"][kept], splits["train"][held]
    for name in ("validation", "test"):
        _check_known(strata[splits[name]], strata[splits["train"]], class_names, name)
    return Splits(**splits, unlabelled=free)


def _check_known(held: Indices, train: Indices, class_names: Sequence[str], split: str) -> None:
    if (held < 0).any():
        raise RequestError(f"{(held < 0).sum()} {split} image(s) have no label, and only training images may lack one.")
    unknown = np.setdiff1d(held, train)
    if len(unknown):
        raise RequestError(
            f"The {split} images have the class {class_names[unknown[0]]!r}, which the training images do not have; "
            "add some there or remove it."
        )


def _part(rows: Indices, strata: Indices) -> tuple[Indices, Indices]:
    return rows[strata[rows] >= 0], rows[strata[rows] < 0]


def stratify(labels: Indices) -> Indices:
    """One class for every image to hold out by: of several labels the rarest, whose images are the hardest to spare."""
    if labels.ndim == 1:
        return labels
    present = labels > 0
    rarity = np.where(present, present.sum(0), len(labels) + 1)
    return np.where(present.any(1), rarity.argmin(1), np.where((labels < 0).all(1), -1, 0))


def _check_enough(train: Indices, class_names: Sequence[str], missing: Sequence[str]) -> None:
    if not len(train):
        raise RequestError("There are no labelled training images; add some.")
    classes, counts = np.unique(train, return_counts=True)
    if missing and counts.min() <= len(missing):
        raise RequestError(
            f"The class {class_names[classes[counts.argmin()]]!r} has {counts.min()} training image(s) and needs "
            f"{len(missing) + 1}, one for each of train, {', '.join(missing)}; add images, or folders for these splits."
        )


def hold_out(labels: Indices, fraction: float, seed: int, what: str = "test") -> tuple[Indices, Indices]:
    """Indices (kept, held out) where the held-out share is `fraction` of every class, and at least one image of it.

    >>> kept, held = hold_out(np.repeat([0, 1], 10), 0.2, seed=0)
    >>> len(kept), np.bincount(np.repeat([0, 1], 10)[held]).tolist()
    (16, [2, 2])
    """
    from sklearn.model_selection import train_test_split  # a second that a refused request need not wait

    counts = np.bincount(labels)
    present = counts[counts > 0]
    if present.min() < 2:
        raise RequestError(
            f"Cannot hold out {fraction:.0%} of {len(labels)} images for {what} with every class on both sides: "
            f"the smallest class has {present.min()}; add images or bring a split of your own (train/ and test/)."
        )
    size = min(max(round(fraction * len(labels)), len(present)), len(labels) - len(present))
    kept, held = train_test_split(np.arange(len(labels)), test_size=size, stratify=labels, random_state=seed)
    # The stratified draw rounds the share of a rare class down to nothing.
    held, kept = _take_missing_classes(labels, held, kept)
    kept, held = _take_missing_classes(labels, kept, held)
    return np.sort(kept), np.sort(held)


def _take_missing_classes(labels: Indices, taker: Indices, giver: Indices) -> tuple[Indices, Indices]:
    """Moves one image of every class that `taker` lacks from `giver` to it."""
    missing = np.setdiff1d(labels, labels[taker])
    moved = np.array([giver[labels[giver] == label][0] for label in missing], dtype=np.int64)
    return np.concatenate([taker, moved]), np.setdiff1d(giver, moved)
