"""Log-sum-exps of few rows against themselves: the whole matrix is one tile that is kept for backward.

Two products of the whole matrix are all there is, since what comes from the rows' side and from the columns' side of a
symmetric matrix is the same. They need similarities in the exponent's range.
"""

from typing import Any

import torch
from torch import Tensor

from supcon.losses.first_derivative import first_derivative_only
from supcon.losses.positives import ClassPositives
from supcon.losses.tiles import BITS


def over_others(rows: Tensor, temperature: float) -> Tensor:
    """[row]: log-sum-exp over A(i), all rows but itself; minus infinity if there is no other."""
    result: Tensor = _OverOthers.apply(rows, temperature)
    return result


def over_classes(rows: Tensor, temperature: float, positives: ClassPositives) -> tuple[Tensor, Tensor]:
    """[row]: log-sum-exp over N(i) and over P(i), without a cap; minus infinity where a set is empty."""
    result: tuple[Tensor, Tensor] = _OverClasses.apply(rows, temperature, positives)
    return result


def share(gradient: Tensor, sums: Tensor, temperature: float) -> Tensor:
    """[row]: what a pair's exponential is multiplied by in the gradient, which is 0 for a row whose sum is empty."""
    return gradient / sums.clamp(min=torch.finfo(sums.dtype).tiny).mul_(temperature)


class _OverOthers(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, temperature: float) -> Tensor:
        tile = (rows * (BITS / temperature)).mm(rows.t()).exp2_().fill_diagonal_(0.0)
        sums = tile.sum(1)
        ctx.save_for_backward(rows, sums, tile)
        ctx.temperature = temperature
        return sums.log()

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        rows, sums, tile = ctx.saved_tensors
        shares = share(gradient, sums, ctx.temperature)
        return torch.add(shares[:, None], shares).mul_(tile).mm(rows), None


class _OverClasses(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, temperature: float, positives: ClassPositives) -> tuple[Tensor, Tensor]:
        whole = slice(0, rows.shape[0])
        tile = (rows * (BITS / temperature)).mm(rows.t()).exp2_()
        differ = positives.differ(whole, whole)
        positive_tile = tile * (1 - differ).fill_diagonal_(0.0)
        negative_tile = tile.mul_(differ)
        negative, positive = negative_tile.sum(1), positive_tile.sum(1)
        ctx.save_for_backward(rows, negative, positive, negative_tile, positive_tile)
        ctx.temperature = temperature
        return negative.log(), positive.log()

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, of_negative: Tensor, of_positive: Tensor) -> tuple[Tensor | None, ...]:
        rows, negative, positive, negative_tile, positive_tile = ctx.saved_tensors
        negative_share = share(of_negative, negative, ctx.temperature)
        positive_share = share(of_positive, positive, ctx.temperature)
        slope = torch.add(negative_share[:, None], negative_share).mul_(negative_tile)
        slope.addcmul_(torch.add(positive_share[:, None], positive_share), positive_tile)
        return slope.mm(rows), None, None
