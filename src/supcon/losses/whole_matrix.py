"""The losses of few rows: their matrix is no larger than a tile or two, so it is computed as a whole and once.

What counts then is the number of operations, and these are the fewest: one product forward, which leaves the gradient
with respect to the matrix behind, and backward one, or two where the anchors are only some of the rows.
"""

from typing import Any

import torch
from torch import Tensor

from supcon.losses.closed_form import ClosedForm, Matrix, closed_form
from supcon.losses.config import Denominator, Summation
from supcon.losses.first_derivative import first_derivative_only
from supcon.losses.pairs import Pairs, Source
from supcon.losses.plain_exponentials import PlainMatrix, plain_closed_form
from supcon.losses.tiles import BITS


def whole_matrix_losses(pairs: Pairs, summation: Summation, denominator: Denominator) -> tuple[Tensor, Tensor]:
    """The loss of every anchor, and which of them are anchors indeed; as `anchor_losses`."""
    batch, *queue = (source.columns for source in pairs.sources)
    own = None if batch is pairs.anchors else batch
    result: tuple[Tensor, Tensor] = _WholeMatrix.apply(pairs.anchors, own, queue, pairs, summation, denominator)
    return result


class _WholeMatrix(torch.autograd.Function):
    """Of `anchors` against the batch's rows, which may be the anchors themselves (None), and those of a queue."""

    @staticmethod
    def forward(
        ctx: Any,
        anchors: Tensor,
        batch: Tensor | None,
        queue: list[Tensor],
        pairs: Pairs,
        summation: Summation,
        denominator: Denominator,
    ) -> tuple[Tensor, Tensor]:
        columns = _joined([anchors if batch is None else batch, *queue], 0)
        form = _plain_form if pairs.in_range else _form
        value, slope, is_anchor = form(pairs, columns, summation, denominator)
        ctx.save_for_backward(anchors, columns, slope, is_anchor)
        ctx.temperature, ctx.symmetric, ctx.batch = pairs.temperature, batch is None, len(pairs.sources[0].columns)
        ctx.mark_non_differentiable(is_anchor)
        return value, is_anchor

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, gradient: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        anchors, columns, slope, is_anchor = ctx.saved_tensors
        slope = slope * torch.where(is_anchor, gradient / ctx.temperature, 0.0)[:, None]
        if ctx.symmetric:
            # What a row gets as an anchor and as a column, in one product.
            own = slope[:, : ctx.batch]
            result = (own + own.t()).mm(columns[: ctx.batch])
            if columns.shape[0] > ctx.batch:
                result.addmm_(slope[:, ctx.batch :], columns[ctx.batch :])
            return result, None, None, None, None, None
        return slope.mm(columns), slope[:, : ctx.batch].t().mm(anchors), None, None, None, None


def _plain_form(pairs: Pairs, columns: Tensor, summation: Summation, denominator: Denominator) -> ClosedForm:
    bits = torch.mm(pairs.anchors * (BITS / pairs.temperature), columns.t())
    splits = [source.positive.split(*_whole(pairs, source)) for source in pairs.sources]
    weights, negative = (_joined(list(kind), 1) for kind in zip(*splits, strict=True))
    under = bits.exp2()
    if denominator != "all":
        under *= negative
    elif pairs.capped:
        under *= negative.add_(weights)
    else:
        pairs.sources[0].other.exclude(under[:, : len(pairs.sources[0].columns)], *_whole(pairs, pairs.sources[0]), 0.0)
    weight = weights.sum(1) if pairs.positive_weight is None else pairs.positive_weight
    return plain_closed_form(PlainMatrix(bits, under, weights, weight), summation, denominator)


def _form(pairs: Pairs, columns: Tensor, summation: Summation, denominator: Denominator) -> ClosedForm:
    similarity = torch.mm(pairs.anchors, columns.t()).div_(pairs.temperature)
    parts = [_sets(pairs, source, summation, denominator) for source in pairs.sources]
    weights, log_weights, under = (_joined(list(kind), 1) for kind in zip(*parts, strict=True))
    return closed_form(Matrix(similarity, weights, log_weights, under), summation, denominator)


def _sets(
    pairs: Pairs, source: Source, summation: Summation, denominator: Denominator
) -> tuple[Tensor, Tensor, Tensor]:
    """Weights, their logarithms if they are needed, and what stands under the fraction."""
    weights, negative = source.positive.split(*_whole(pairs, source))
    log_weights = source.positive.log_weights(weights.clone()) if summation == "in" else weights
    if denominator != "all":
        return weights, log_weights, negative
    if pairs.capped:
        return weights, log_weights, negative.add_(weights)
    under = torch.ones_like(weights)
    source.other.exclude(under, *_whole(pairs, source), 0.0)
    return weights, log_weights, under


def _whole(pairs: Pairs, source: Source) -> tuple[slice, slice]:
    return slice(0, pairs.anchors.shape[0]), slice(0, source.columns.shape[0])


def _joined(parts: list[Tensor], axis: int) -> Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(parts, axis)
