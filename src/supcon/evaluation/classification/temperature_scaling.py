"""Temperature scaling (Guo et al., 2017): one number, fitted on validation images, that calibrates a classifier."""

import math

from torch import Tensor

from supcon.base.errors import RequestError
from supcon.base.shapes import Labels, Logits

SMALLEST, LARGEST = 0.01, 100.0
_HALVINGS = 50


def fit_temperature(logits: Logits, labels: Labels) -> float:
    """The temperature T for which softmax(logits / T) makes the labels most likely; between 0.01 and 100.

    The likelihood is concave in 1 / T, so its slope has at most one zero: it is found by halving. Logits that are
    right for every image have none, they ask for T = 0, which would make every mistake among other images infinitely
    sure of itself: T is 1 then, as nothing can be learned from such images. Divide the test logits by what this gives;
    accuracy stays.

    >>> import torch
    >>> round(fit_temperature(torch.tensor([[4.0, 0.0]]).repeat(4, 1), torch.tensor([0, 0, 0, 1])), 4)
    3.641
    """
    if len(logits) == 0:
        raise RequestError("The temperature is fitted on validation images, and there are none; hold some out.")
    centred = logits.double() - logits.double().amax(1, keepdim=True)
    if (centred.gather(1, labels[:, None]) == 0).all():
        return 1.0
    low, high = math.log(SMALLEST), math.log(LARGEST)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        # A positive slope in 1 / T: the labels want sharper probabilities, a smaller T.
        low, high = (low, middle) if _slope(centred, labels, math.exp(-middle)) > 0 else (middle, high)
    return math.exp((low + high) / 2)


def _slope(logits: Tensor, labels: Labels, sharpness: float) -> float:
    """How fast the mean log-likelihood grows with 1 / T."""
    expected = ((logits * sharpness).softmax(1) * logits).sum(1)
    return (logits.gather(1, labels[:, None])[:, 0] - expected).mean().item()
