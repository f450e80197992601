"""Which classes are taken for which."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from supcon.report.run_results import Outputs

ConfusionMatrix = Int[np.ndarray, "class class"]

PAIRS = 12


@dataclass(frozen=True, kw_only=True)
class ConfusedPair:
    """Images of one class that were taken for another."""

    label: int
    predicted: int
    images: int
    share: float
    """Of the images of the true class."""


def confusion_matrix(outputs: Outputs) -> ConfusionMatrix:
    """Test images by true class (row) and predicted class (column)."""
    classes = outputs.probabilities.shape[1]
    cells = outputs.labels.astype(np.int64) * classes + outputs.predicted
    return np.bincount(cells, minlength=classes * classes).reshape(classes, classes)


def confused_pairs(matrix: ConfusionMatrix, limit: int | None = PAIRS) -> list[ConfusedPair]:
    """The most frequent mistakes, the most frequent first; equally frequent ones by their share of the class."""
    rows, columns = np.nonzero(matrix * (1 - np.eye(len(matrix), dtype=matrix.dtype)))
    images = matrix[rows, columns]
    shares = images / matrix.sum(axis=1)[rows]
    order = np.lexsort((columns, rows, -shares, -images))[:limit]
    return [
        ConfusedPair(label=int(rows[k]), predicted=int(columns[k]), images=int(images[k]), share=float(shares[k]))
        for k in order
    ]
