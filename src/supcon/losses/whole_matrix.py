"""The losses of few rows: their matrix is no larger than a tile or two, so it is computed as a whole and once.

For small batches what counts is the number of operations, and these are the fewest: one product forward, which leaves
the gradient with respect to the matrix behind, and one or two backward.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from supcon.losses.closed_form import closed_form
from supcon.losses.config import Denominator, Summation
from supcon.losses.pairs import Pairs, Source


def whole_matrix_losses(pairs: Pairs, summation: Summation, denominator: Denominator) -> tuple[Tensor, Tensor]:
    """The loss of every anchor, and which of them are anchors indeed; as `anchor_losses`."""
    columns = _joined([source.columns for source in pairs.sources], 0)
    result: tuple[Tensor, Tensor] = _WholeMatrix.apply(pairs.anchors, columns, pairs, summation, denominator)
    return result


class _WholeMatrix(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, anchors: Tensor, columns: Tensor, pairs: Pairs, summation: Summation, denominator: Denominator
    ) -> tuple[Tensor, Tensor]:
        similarity = torch.mm(anchors, columns.t()).div_(pairs.temperature)
        weights = _joined([_weights(source, anchors) for source in pairs.sources], 1)
        left_out = _joined([_left_out(pairs, source, denominator) for source in pairs.sources], 1)
        if denominator == "all" and not pairs.complete:
            left_out &= weights == 0
        value, slope, is_anchor = closed_form(similarity, weights, left_out, summation, denominator)
        ctx.save_for_backward(anchors, columns, slope, is_anchor)
        ctx.temperature, ctx.symmetric = pairs.temperature, columns is anchors
        ctx.mark_non_differentiable(is_anchor)
        return value, is_anchor

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        anchors, columns, slope, is_anchor = ctx.saved_tensors
        slope = slope * torch.where(is_anchor, gradient / ctx.temperature, 0.0)[:, None]
        if ctx.symmetric:
            return (slope + slope.t()).mm(anchors), None, None, None, None
        of_columns = slope.t().mm(anchors) if ctx.needs_input_grad[1] else None
        return slope.mm(columns), of_columns, None, None, None


def _weights(source: Source, anchors: Tensor) -> Tensor:
    weights = source.positive.weights(slice(0, len(anchors)), slice(0, len(source.columns)))
    return weights.to(anchors.dtype)


def _left_out(pairs: Pairs, source: Source, denominator: Denominator) -> Tensor:
    rows, part = slice(0, len(pairs.anchors)), slice(0, len(source.columns))
    left_out = torch.zeros(rows.stop, part.stop, dtype=torch.bool, device=pairs.anchors.device)
    rule = source.other if denominator == "all" and pairs.complete else source.negative
    rule.exclude(left_out, rows, part, True)
    return left_out


def _joined(parts: list[Tensor], axis: int) -> Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(parts, axis)
