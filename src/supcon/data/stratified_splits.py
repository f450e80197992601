"""Stratified, seeded splits: every class is in every split, and the same seed gives the same split.

A split that the data does not define is held out from its training images. If the data has training and validation
images but no test images, its validation images become the test split and a new validation split is held out from the
training images, so that no choice is ever made on the images that results are reported on.
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
"""Accepted names of splits."""
ORDER = ("train", "unlabelled", "validation", "test")
"""The order of the splits in the concatenated images of a run."""


@dataclass(frozen=True, kw_only=True)
class Splits:
    """The rows of a collection that a run uses."""

    train: Indices
    validation: Indices
    test: Indices
    unlabelled: Indices
    """Training images without a label, used by stage 1 only."""


def complete_splits(
    given: Mapping[SplitName, Indices],
    labels: Indices,
    class_names: Sequence[str],
    fractions: Mapping[SplitName, float],
    seed: int,
) -> Splits:
    """Completes the three splits: the missing ones are held out from the training images."""
    splits = dict(given)
    if "test" not in splits and "validation" in splits:
        splits["test"] = splits.pop("validation")
    strata = stratify(labels)
    splits["train"], unlabelled = _part(splits.get("train", np.arange(len(labels))), strata)
    missing: list[SplitName] = [name for name in ("test", "validation") if name not in splits]
    _check_enough(strata[splits["train"]], class_names, missing)
    for name in missing:
        kept, held = hold_out(strata[splits["train"]], fractions[name], seed, name)
        splits["train"], splits[name] = splits["train"][kept], splits["train"][held]
    for name in ("validation", "test"):
        _check_known(strata[splits[name]], strata[splits["train"]], class_names, name)
    return Splits(**splits, unlabelled=unlabelled)


def _check_known(held: Indices, train: Indices, class_names: Sequence[str], split: str) -> None:
    if (held < 0).any():
        raise RequestError(
            f"{(held < 0).sum()} {split} image(s) have no label; label them, or move them to the training images, "
            "which may be unlabelled."
        )
    unknown = np.setdiff1d(held, train)
    if len(unknown):
        raise RequestError(
            f"The {split} images have the class {class_names[unknown[0]]!r}, which no training image has; "
            "add training images of that class, or remove it."
        )


def _part(rows: Indices, strata: Indices) -> tuple[Indices, Indices]:
    return rows[strata[rows] >= 0], rows[strata[rows] < 0]


def stratify(labels: Indices) -> Indices:
    """One class per image to stratify by; with several labels the rarest, so that rare classes are in every split."""
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
    """Indices (kept, held out): `fraction` of every class is held out, but at least one image of it.

    >>> kept, held = hold_out(np.repeat([0, 1], 10), 0.2, seed=0)
    >>> len(kept), np.bincount(np.repeat([0, 1], 10)[held]).tolist()
    (16, [2, 2])
    """
    from sklearn.model_selection import train_test_split  # a second that a refused request need not wait

    counts = np.bincount(labels)
    present = counts[counts > 0]
    if present.min() < 2:
        raise RequestError(
            f"Cannot hold out {fraction:.0%} of {len(labels)} images for {what} with every class on both sides: the "
            f"smallest class has {present.min()} image; add images, or provide a split of your own (train/ and test/)."
        )
    size = min(max(round(fraction * len(labels)), len(present)), len(labels) - len(present))
    kept, held = train_test_split(np.arange(len(labels)), test_size=size, stratify=labels, random_state=seed)
    # train_test_split rounds the share of a rare class down to zero.
    held, kept = _take_missing_classes(labels, held, kept)
    kept, held = _take_missing_classes(labels, kept, held)
    return np.sort(kept), np.sort(held)


def _take_missing_classes(labels: Indices, taker: Indices, giver: Indices) -> tuple[Indices, Indices]:
    """Moves one image of every class that `taker` lacks from `giver` to it."""
    missing = np.setdiff1d(labels, labels[taker])
    moved = np.array([giver[labels[giver] == label][0] for label in missing], dtype=np.int64)
    return np.concatenate([taker, moved]), np.setdiff1d(giver, moved)
