"""Numpy arrays from arrays and tensors alike, for code that takes both and imports no torch."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

ArrayOrTensor = Any
"""A numpy array, or a torch tensor on any device."""


def as_numpy(values: ArrayOrTensor) -> NDArray[Any]:
    """The values as a numpy array; floating-point tensors become float64, because numpy has no bfloat16.

    >>> as_numpy([1, 2]).tolist()
    [1, 2]
    """
    if not hasattr(values, "detach"):
        return np.asarray(values)
    tensor = values.detach().cpu()
    return np.asarray(tensor.double() if tensor.is_floating_point() else tensor)
