"""Temperature scaling (Guo et al., 2017): one number, fitted on validation images, that calibrates a classifier."""

import math

from torch import Tensor

from supcon.base.errors import RequestError
from supcon.base.shapes import Labels, Logits

SMALLEST, LARGEST = 0.01, 100.0
_BISECTIONS = 50


def fit_temperature(logits: Logits, labels: Labels) -> float:
    """The temperature T, between 0.01 and 100, that maximises the likelihood of the labels under softmax(logits / T).

    Divide the test logits by it; their accuracy does not change. The log-likelihood is concave in 1 / T, so its slope
    has at most one zero, which is found by bisection. If every image is classified correctly there is none: the optimum
    would be T = 0, which would give every mistake on other images a confidence of 1. T is 1 then.

    >>> import torch
    >>> round(fit_temperature(torch.tensor([[4.0, 0.0]]).repeat(4, 1), torch.tensor([0, 0, 0, 1])), 4)
    3.641
    """
    if len(logits) == 0:
        raise RequestError("The temperature is fitted on validation images, but there are none; hold some out.")
    centred = logits.double() - logits.double().amax(1, keepdim=True)
    if (centred.gather(1, labels[:, None]) == 0).all():
        return 1.0
    low, high = math.log(SMALLEST), math.log(LARGEST)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        # A positive slope in 1 / T: the optimum is at a smaller T.
        low, high = (low, middle) if _slope(centred, labels, math.exp(-middle)) > 0 else (middle, high)
    return math.exp((low + high) / 2)


def _slope(logits: Tensor, labels: Labels, sharpness: float) -> float:
    """Derivative of the mean log-likelihood with respect to 1 / T."""
    expected = ((logits * sharpness).softmax(1) * logits).sum(1)
    return (logits.gather(1, labels[:, None])[:, 0] - expected).mean().item()
