"""Stratified, seeded splits: every class is in every split, and the same seed gives the same split."""

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from supcon.errors import RequestError

Indices = NDArray[np.int64]


def hold_out(labels: Indices, fraction: float, seed: int, what: str = "test") -> tuple[Indices, Indices]:
    """Indices (kept, held out) where the held-out share is `fraction` of every class, and at least one image of it.

    >>> kept, held = hold_out(np.repeat([0, 1], 10), 0.2, seed=0)
    >>> len(kept), np.bincount(np.repeat([0, 1], 10)[held]).tolist()
    (16, [2, 2])
    """
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
