"""The losses of few rows: their matrix is no larger than a tile or two, so it is computed as a whole and once.

What counts then is the number of operations, and these are the fewest: one product forward, which leaves the gradient
with respect to the matrix behind, and one for each side backward.
"""

from typing import Any

import torch
from torch import Tensor

from supcon.losses.closed_form import Matrix, closed_form
from supcon.losses.config import Denominator, Summation
from supcon.losses.first_derivative import first_derivative_only
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
        matrix = Matrix(similarity, *_sets(pairs, summation, denominator))
        value, slope, is_anchor = closed_form(matrix, summation, denominator)
        ctx.save_for_backward(anchors, columns, slope, is_anchor)
        ctx.temperature = pairs.temperature
        ctx.mark_non_differentiable(is_anchor)
        return value, is_anchor

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, gradient: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        anchors, columns, slope, is_anchor = ctx.saved_tensors
        slope = slope * torch.where(is_anchor, gradient / ctx.temperature, 0.0)[:, None]
        of_columns = slope.t().mm(anchors) if ctx.needs_input_grad[1] else None
        return slope.mm(columns), of_columns, None, None, None


def _sets(pairs: Pairs, summation: Summation, denominator: Denominator) -> tuple[Tensor, Tensor, Tensor]:
    """Weights, their logarithms if they are needed, and what stands under the fraction."""
    parts = [_source_sets(pairs, source, summation, denominator) for source in pairs.sources]
    weights, log_weights, under = (_joined([part[kind] for part in parts], 1) for kind in range(3))
    return weights, log_weights, under


def _source_sets(
    pairs: Pairs, source: Source, summation: Summation, denominator: Denominator
) -> tuple[Tensor, Tensor, Tensor]:
    rows, part = slice(0, len(pairs.anchors)), slice(0, len(source.columns))
    weights = source.positive.weights(rows, part)
    log_weights = source.positive.log_weights(weights.clone()) if summation == "in" else weights
    under = weights.new_ones(weights.shape)
    by_class = denominator != "all" or pairs.capped
    (source.negative if by_class else source.other).exclude(under, rows, part, 0.0)
    return weights, log_weights, under.add_(weights) if pairs.capped and denominator == "all" else under


def _joined(parts: list[Tensor], axis: int) -> Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(parts, axis)
