"""Which classes are predicted as which. Imports no torch; takes arrays and tensors."""

import numpy as np
from jaxtyping import Int

from supcon.evaluation.as_numpy import ArrayOrTensor, as_numpy


def confusion_matrix(logits: ArrayOrTensor, labels: ArrayOrTensor) -> Int[np.ndarray, "class class"]:
    """How many images of the row's class were predicted as the column's class.

    `logits` (or probabilities) [image, class]; the prediction is the class with the highest value.

    >>> confusion_matrix(np.array([[2.0, 1.0], [2.0, 1.0]]), np.array([0, 1])).tolist()
    [[1, 0], [1, 0]]
    """
    predicted, classes = as_numpy(logits).argmax(1), logits.shape[1]
    cells = as_numpy(labels).astype(np.int64) * classes + predicted
    return np.bincount(cells, minlength=classes**2).reshape(classes, classes)
