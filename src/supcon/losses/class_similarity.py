"""The similarities of an anchor to its positives, summed up without looking at a single pair.

The sum of z_i . z_p over P(i) is z_i . (S - z_i), with S the sum of the anchor's class.
"""

from typing import Any

import torch
from torch import Tensor

from supcon.losses.first_derivative import first_derivative_only


def class_similarity(
    anchors: Tensor,
    columns: Tensor,
    anchor_class: Tensor,
    column_class: Tensor,
    class_sums: Tensor,
    temperature: float,
) -> Tensor:
    """[anchor]: the sum of anchor . column / temperature over all columns of its class but itself.

    Args:
        anchors: [anchor, dim], each of them one of the columns.
        columns: [column, dim].
        anchor_class: [anchor], class numbers.
        column_class: [column], class numbers.
        class_sums: [class, dim], what rows without gradient add to the classes; used up.
        temperature: tau.
    """
    result: Tensor = _ClassSimilarity.apply(anchors, columns, anchor_class, column_class, class_sums, temperature)
    return result


class _ClassSimilarity(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        anchors: Tensor,
        columns: Tensor,
        anchor_class: Tensor,
        column_class: Tensor,
        class_sums: Tensor,
        temperature: float,
    ) -> Tensor:
        sums = class_sums.index_add_(0, column_class, columns)
        rest = sums.index_select(0, anchor_class).sub_(anchors)
        ctx.save_for_backward(anchors, rest, anchor_class, column_class)
        ctx.classes, ctx.temperature = sums.shape[0], temperature
        return (anchors * rest).sum(1).div_(temperature)

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        anchors, rest, anchor_class, column_class = ctx.saved_tensors
        gradient = (gradient / ctx.temperature)[:, None]
        weighted = anchors * gradient
        of_classes = anchors.new_zeros(ctx.classes, anchors.shape[1]).index_add_(0, anchor_class, weighted)
        of_anchors = weighted.neg_().addcmul_(rest, gradient)
        return of_anchors, of_classes.index_select(0, column_class), None, None, None, None
