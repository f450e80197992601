"""The closed form of `closed_form` in plain exponentials: a third of its operations, for similarities in range.

On a few hundred rows an operation costs about what its call costs, so their number is the time.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from supcon.losses.closed_form import ClosedForm
from supcon.losses.config import Denominator, Summation
from supcon.losses.tiles import BITS


class PlainMatrix(NamedTuple):
    """Anchors against all their columns, with exponents in range."""

    bits: Tensor
    """[anchor, column]: similarity / temperature, times `BITS`."""
    under: Tensor
    """[anchor, column]: exp(similarity / temperature) of what stands under the fraction, 0 for the rest."""
    weights: Tensor
    """[anchor, column]: above 0 for positives."""
    weight: Tensor
    """[anchor]: the sum of the weights."""


def plain_closed_form(matrix: PlainMatrix, summation: Summation, denominator: Denominator) -> ClosedForm:
    """Eq. 2 or Eq. 3 for every anchor; uses up the matrix's memory."""
    is_anchor = matrix.weight > 0
    below = matrix.under.sum(1, keepdim=True)
    if denominator == "negatives":
        is_anchor &= below.squeeze(1) > 0
    if denominator == "one_positive":
        value, pull = _one_positive(matrix, below, summation)
        slope = matrix.under.mul_(pull.sum(1, keepdim=True).div_(above_zero(below))).sub_(pull)
    else:
        log_numerator, pull = _numerator(matrix, summation)
        below = above_zero(below)
        value = below.log().squeeze(1).sub_(log_numerator)
        slope = matrix.under.div_(below).sub_(pull)
    return ClosedForm(torch.where(is_anchor, value, 0.0), slope, is_anchor)


def _numerator(matrix: PlainMatrix, summation: Summation) -> tuple[Tensor, Tensor]:
    """[anchor]: the logarithm of the fractions' numerators, averaged; and X."""
    if summation == "out":
        share = matrix.weights.div_(above_zero(matrix.weight)[:, None])
        return matrix.bits.mul_(share).sum(1).div_(BITS), share
    share = matrix.weights.mul_(matrix.bits.exp2_())
    total = above_zero(share.sum(1, keepdim=True))
    return (total.squeeze(1) / above_zero(matrix.weight)).log_(), share.div_(total)


def _one_positive(matrix: PlainMatrix, negatives: Tensor, summation: Summation) -> tuple[Tensor, Tensor]:
    """[anchor]: the loss; and how much each positive pulls: its share times the part of its fraction still missing."""
    odds = matrix.bits.neg_().exp2_().mul_(negatives)
    weight = above_zero(matrix.weight)
    if summation == "out":
        value = odds.log1p().mul_(matrix.weights).sum(1).div_(weight)
        return value, odds.div_(odds + 1).mul_(matrix.weights).div_(weight[:, None])
    whole = odds + 1
    share = matrix.weights.div_(whole)
    total = above_zero(share.sum(1, keepdim=True))
    return (weight / total.squeeze(1)).log_(), odds.div_(whole).mul_(share.div_(total))


def above_zero(sums: Tensor) -> Tensor:
    """The sums, with the smallest number there is in place of 0, to divide by."""
    return sums.clamp(min=torch.finfo(sums.dtype).tiny)
