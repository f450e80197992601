"""The logarithm of the sum of exp(similarity / temperature) over an anchor's columns, without the matrix.

This is the denominator of Eq. 1, 2 and 3. Forward keeps one number per anchor; backward computes the tiles again
from it.
"""

from collections.abc import Iterator
from math import log
from typing import Any

import torch
from torch import Tensor

from supcon.losses.exclusion import Exclusion, exclude_near
from supcon.losses.first_derivative import first_derivative_only
from supcon.losses.tiles import BITS, Similarities, Span, parts, strips, tile_shape


def log_sum_exp(
    anchors: Tensor, columns: Tensor, temperature: float, exclusion: Exclusion, *, in_range: bool
) -> Tensor:
    """log of the sum of exp(anchor . column / temperature) over the columns that are not excluded.

    Args:
        anchors: [anchor, dim].
        columns: [column, dim].
        temperature: tau.
        exclusion: the pairs that are left out.
        in_range: no |anchor . column| / temperature is above `EXPONENT_RANGE`.

    Returns:
        [anchor]; minus infinity where nothing is left to sum.
    """
    result: Tensor = _LogSumExp.apply(anchors, columns, temperature, exclusion, in_range)
    return result


class _LogSumExp(torch.autograd.Function):
    """Any anchors and columns at any temperature."""

    @staticmethod
    def forward(
        ctx: Any, anchors: Tensor, columns: Tensor, temperature: float, exclusion: Exclusion, in_range: bool
    ) -> Tensor:
        result = anchors.new_full((len(anchors),), -torch.inf)
        for rows, part, span, tile in _tiles(anchors, columns, temperature, exclusion):
            exclude_near(exclusion, tile, rows, part, span, -torch.inf)
            result[rows] = torch.logaddexp2(result[rows], _row_log_sum_exp2(tile, in_range))
        ctx.save_for_backward(anchors, columns, result)
        ctx.temperature, ctx.exclusion = temperature, exclusion
        return result * log(2)

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor | None, None, None, None]:
        anchors, columns, result = ctx.saved_tensors
        share = (gradient / ctx.temperature)[:, None]
        shift = torch.where(result.isneginf(), torch.inf, result)[:, None]
        weighted, of_anchors = anchors * share, torch.zeros_like(anchors)
        of_columns = torch.zeros_like(columns) if ctx.needs_input_grad[1] else None
        for rows, part, span, tile in _tiles(anchors, columns, ctx.temperature, ctx.exclusion):
            tile.sub_(shift[rows]).exp2_()
            exclude_near(ctx.exclusion, tile, rows, part, span, 0.0)
            of_anchors[rows].addmm_(tile, columns[part])
            if of_columns is not None:
                of_columns[part].addmm_(tile.t(), weighted[rows])
        return of_anchors.mul_(share), of_columns, None, None, None


def _tiles(
    anchors: Tensor, columns: Tensor, temperature: float, exclusion: Exclusion
) -> Iterator[tuple[slice, slice, Span, Tensor]]:
    shape = tile_shape(anchors.device)
    similarities = Similarities(anchors, columns, BITS / temperature, shape)
    spans = exclusion.spans(len(anchors), shape.height)
    for rows, span in zip(strips(len(anchors), shape.height), spans, strict=True):
        for part in parts((0, len(columns)), shape.width):
            yield rows, part, span, similarities.tile(rows, part)


def _row_log_sum_exp2(tile: Tensor, in_range: bool) -> Tensor:
    if in_range:
        return tile.exp2_().sum(1).log2_()
    # The excluded pairs are minus infinity by now: the maximum is one of the sum's own terms.
    shift = tile.amax(1).clamp_(min=torch.finfo(tile.dtype).min)
    return tile.sub_(shift[:, None]).exp2_().sum(1).log2_().add_(shift)
