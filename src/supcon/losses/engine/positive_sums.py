"""The sums over an anchor's positives that the losses need, on one tile, with their derivatives.

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

from supcon.losses.engine.dense import MASKED


class PositiveSum(NamedTuple):
    """One of the four sums. Its functions may overwrite the weights. A share is at most 1, also of an empty sum."""

    value: Callable[[Tensor, Tensor, Tensor], Tensor]
    """(s, w, n) -> [anchor]"""
    add: Callable[[Tensor, Tensor], Tensor]
    """How the values of two tiles add up."""
    empty: float
    slope: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
    """(s, w, n, value) -> [anchor, column]: d value / d s."""


POSITIVE_SUMS: dict[str, PositiveSum] = {
    "similarity": PositiveSum(
        value=lambda s, w, n: (w * s).sum(1),
        add=torch.add,
        empty=0.0,
        slope=lambda s, w, n, value: w,
    ),
    "log_sum_exp": PositiveSum(
        value=lambda s, w, n: _log(w).add_(s).logsumexp(1),
        add=torch.logaddexp,
        empty=MASKED,
        slope=lambda s, w, n, value: _log(w).add_(s).sub_(value).clamp_(max=0).exp_(),
    ),
    "one_positive_out": PositiveSum(
        value=lambda s, w, n: -(w * logsigmoid(s - n)).sum(1),
        add=torch.add,
        empty=0.0,
        slope=lambda s, w, n, value: (n - s).sigmoid_().mul_(w).neg_(),
    ),
    "one_positive_in": PositiveSum(
        value=lambda s, w, n: _log(w).add_(logsigmoid(s - n)).logsumexp(1),
        add=torch.logaddexp,
        empty=MASKED,
        slope=lambda s, w, n, value: _log(w).add_(logsigmoid(s - n)).sub_(value).clamp_(max=0).exp_().mul_((n - s).sigmoid_()),
    ),
}


def _log(weights: Tensor) -> Tensor:
    return weights.log_().clamp_(min=MASKED)
