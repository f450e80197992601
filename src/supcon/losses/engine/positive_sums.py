"""The sums over an anchor's positives that the losses need, for one tile, and their derivatives.

| name | sum over p in P(i), with w = weight, s = z_i . z_p / tau, n = log-sum-exp over N(i) | used by |
|---|---|---|
| similarity | sum w s | Eq. 2 |
| log_sum_exp | log sum w exp(s) | Eq. 3 |
| one_positive_out | sum w log(1 + exp(n - s)) | Eq. 2 with the denominator exp(s) + exp(n) |
| one_positive_in | log sum w / (1 + exp(n - s)) | Eq. 3 with the denominator exp(s) + exp(n) |
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from supcon.losses.engine.dense import MASKED, log_sum_exp


class PositiveSum(NamedTuple):
    """One of the four sums."""

    value: Callable[[Tensor, Tensor, Tensor], Tensor]
    """(s, w, n) -> [anchor]"""
    add: Callable[[Tensor, Tensor], Tensor]
    """Combines the values of two tiles."""
    empty: float
    derivative: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
    """(s, w, n, value) -> [anchor, column]: d value / d s."""


POSITIVE_SUMS: dict[str, PositiveSum] = {
    "similarity": PositiveSum(
        value=lambda s, w, n: (w * s).sum(1),
        add=torch.add,
        empty=0.0,
        derivative=lambda s, w, n, value: w,
    ),
    "log_sum_exp": PositiveSum(
        value=lambda s, w, n: log_sum_exp(s, w).squeeze(1),
        add=torch.logaddexp,
        empty=MASKED,
        derivative=lambda s, w, n, value: _share(s, w, value),
    ),
    "one_positive_out": PositiveSum(
        value=lambda s, w, n: -(w * logsigmoid(s - n)).sum(1),
        add=torch.add,
        empty=0.0,
        derivative=lambda s, w, n, value: (n - s).sigmoid_().mul_(w).neg_(),
    ),
    "one_positive_in": PositiveSum(
        value=lambda s, w, n: log_sum_exp(logsigmoid(s - n), w).squeeze(1),
        add=torch.logaddexp,
        empty=MASKED,
        derivative=lambda s, w, n, value: _share(logsigmoid(s - n), w, value).mul_((n - s).sigmoid_()),
    ),
}


def _share(exponent: Tensor, weights: Tensor, log_sum: Tensor) -> Tensor:
    """weight * exp(exponent) / their sum; clamped, so that terms of weight 0 do not overflow."""
    return (exponent - log_sum).clamp_(max=80).exp_().mul_(weights)
