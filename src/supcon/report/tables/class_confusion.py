"""The most frequent confusions between classes."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

ConfusionMatrix = Int[np.ndarray, "class class"]

PAIRS = 12


@dataclass(frozen=True, kw_only=True)
class ConfusedPair:
    """Images of one class that were predicted as another."""

    label: int
    predicted: int
    images: int
    share: float
    """Share of the images of the true class."""


def confused_pairs(matrix: ConfusionMatrix, limit: int | None = PAIRS) -> list[ConfusedPair]:
    """The most frequent confusions first; equally frequent ones are sorted by their share of the true class."""
    rows, columns = np.nonzero(matrix * (1 - np.eye(len(matrix), dtype=matrix.dtype)))
    images = matrix[rows, columns]
    shares = images / matrix.sum(axis=1)[rows]
    order = np.lexsort((columns, rows, -shares, -images))[:limit]
    return [
        ConfusedPair(label=int(rows[k]), predicted=int(columns[k]), images=int(images[k]), share=float(shares[k]))
        for k in order
    ]
