"""Eq. 2 of a small labelled batch, from projections to losses in one step.

The most used loss on the most used batches. At a few hundred rows every call of an operation costs as much as its
arithmetic, so this path makes as few calls as there can be: the losses are cross-entropies of the softmax over A(i)
with P(i)'s shares, and the gradient goes back through the normalisation without leaving the function.
"""

from typing import Any

import torch
from torch import Tensor

from supcon.losses.first_derivative import first_derivative_only
from supcon.losses.plain_exponentials import above_zero
from supcon.losses.rows import EXACT_LABELS, Rows, tell_apart
from supcon.losses.tiles import EXPONENT_RANGE, NEVER, are_quickest_at_once
from supcon.losses.unit_norm import through_unit_norm, unit_norm_and_length


def are_few_rows(rows: Rows, temperature: float) -> bool:
    """Whether the batch is small enough, and the similarities within the precision of its numbers."""
    if not are_quickest_at_once(rows.label.shape[0] ** 2):
        return False
    return 1 / temperature <= EXPONENT_RANGE[rows.projections.dtype] and bool(rows.label.max() < EXACT_LABELS)


def few_rows_losses(rows: Rows, temperature: float) -> tuple[Tensor, Tensor]:
    """The loss of every row, and which of them are anchors indeed; as `anchor_losses`."""
    result: tuple[Tensor, Tensor] = _FewRows.apply(rows.projections, tell_apart(rows).label, temperature)
    return result


class _FewRows(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, projections: Tensor, label: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
        unit, length = unit_norm_and_length(projections)
        log_softmax = torch.mm(unit / temperature, unit.t()).fill_diagonal_(NEVER).log_softmax(1)
        number = label.to(unit.dtype)
        share = (number[:, None] - number).eq_(0).fill_diagonal_(0)
        positives = share.sum(1)
        is_anchor = positives > 0
        share /= above_zero(positives)[:, None]
        value = (log_softmax * share).sum(1).neg_()
        # P - X, the gradient with respect to similarity / temperature; see `closed_form`.
        slope = log_softmax.exp_().sub_(share)
        ctx.save_for_backward(projections, unit, length, slope, is_anchor)
        ctx.temperature = temperature
        ctx.mark_non_differentiable(is_anchor)
        return value, is_anchor

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, gradient: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        _, unit, length, slope, is_anchor = ctx.saved_tensors
        slope = slope * torch.where(is_anchor, gradient / ctx.temperature, 0.0)[:, None]
        # What a row gets as an anchor and as a column, in one product.
        return through_unit_norm((slope + slope.t()).mm(unit), unit, length), None, None
