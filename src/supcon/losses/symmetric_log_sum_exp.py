"""The log-sum-exp where anchors and columns are the same rows: the matrix is symmetric, half of it is enough.

Four matrix products of half the matrix are all there is: one forward, and backward the same again and one for either
side of it.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from supcon.losses.exclusion import Exclusion, exclude_near
from supcon.losses.tiles import BITS, Similarities, parts, strips, tile_shape


def symmetric_log_sum_exp(rows: Tensor, temperature: float, exclusion: Exclusion) -> Tensor:
    """`log_sum_exp` of rows against themselves, with similarities in the exponent's range and symmetric exclusion."""
    result: Tensor = _UpperTiles.apply(rows, temperature, exclusion)
    return result


class _UpperTiles(torch.autograd.Function):
    """The tiles on and above the diagonal, computed again for backward."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, temperature: float, exclusion: Exclusion) -> Tensor:
        sums = rows.new_zeros(len(rows))
        for left, right, tile in _upper_tiles(rows, temperature, exclusion):
            sums[left] += tile.sum(1)
            if right != left:
                sums[right] += tile.sum(0)
        ctx.save_for_backward(rows, sums)
        ctx.temperature, ctx.exclusion = temperature, exclusion
        return sums.log()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        rows, sums = ctx.saved_tensors
        share = _share(gradient, sums, ctx.temperature)
        result, shape = torch.zeros_like(rows), tile_shape(rows.device)
        memory = rows.new_empty(shape.height * shape.width)
        for left, right, tile in _upper_tiles(rows, ctx.temperature, ctx.exclusion):
            weight = memory[: tile.numel()].view_as(tile)
            tile *= torch.add(share[left, None], share[right], out=weight)
            result[left].addmm_(tile, rows[right])
            if right != left:
                result[right].addmm_(tile.t(), rows[left])
        return result, None, None


def _upper_tiles(rows: Tensor, temperature: float, exclusion: Exclusion) -> Iterator[tuple[slice, slice, Tensor]]:
    """Exponentials of every square on the diagonal, then of the tiles to the right of it."""
    shape = tile_shape(rows.device)
    similarities = Similarities(rows, rows, BITS / temperature, shape)
    spans = exclusion.spans(len(rows), shape.height)
    for left, span in zip(strips(len(rows), shape.height), spans, strict=True):
        for right in (left, *parts((left.stop, len(rows)), shape.width)):
            tile = similarities.tile(left, right).exp2_()
            exclude_near(exclusion, tile, left, right, span, 0.0)
            yield left, right, tile


def _share(gradient: Tensor, sums: Tensor, temperature: float) -> Tensor:
    """[row]: what a pair's exponential is multiplied by in the gradient; 0 for a row whose sum is empty."""
    return torch.where(sums > 0, gradient / sums, 0.0) / temperature
