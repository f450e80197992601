"""The losses of some anchors against all their columns at once, with their gradients in closed form.

The gradient of an anchor's loss with respect to its similarities (the paper's Eq. 4, before the factor 1 / tau) is

    P_ip - X_ip   for a positive,     P_in   for a negative,

with P the softmax over the denominator, and X the weights' shares (Eq. 2) or the softmax over positives (Eq. 3). Under
"one_positive" every positive has a denominator of its own, and with it a share of the negatives; P_in sums them up.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from supcon.losses.config import Denominator, Summation
from supcon.losses.tiles import BITS


class ClosedForm(NamedTuple):
    """Losses and their gradients."""

    value: Tensor
    """[anchor]: the loss; 0 for a row that is no anchor."""
    slope: Tensor
    """[anchor, column]: d loss / d similarity, for a row that is an anchor."""
    is_anchor: Tensor
    """[anchor]: whether there is a positive and, for the denominator "negatives", a negative."""


def closed_form(
    similarity: Tensor, weights: Tensor, left_out: Tensor, summation: Summation, denominator: Denominator
) -> ClosedForm:
    """Eq. 2 or Eq. 3 for every anchor.

    Args:
        similarity: [anchor, column], divided by the temperature.
        weights: [anchor, column], above 0 for positives.
        left_out: [anchor, column], True for what is not in A(i), or not in N(i) unless the denominator is "all".
        summation: "out", Eq. 2, or "in", Eq. 3.
        denominator: what stands under the fraction.
    """
    weight = weights.sum(1)
    is_anchor = weight > 0
    softmax, log_sum = _softmax(similarity.masked_fill(left_out, -torch.inf))
    if denominator == "one_positive":
        value, pull = _one_positive(similarity, weights, weight, log_sum, summation)
        softmax *= pull.sum(1, keepdim=True)
    else:
        log_numerator, pull = _numerator(similarity, weights, weight, summation)
        value = log_sum - log_numerator
    if denominator == "negatives":
        is_anchor &= ~log_sum.isneginf()
    return ClosedForm(torch.where(is_anchor, value, 0.0), softmax.sub_(pull), is_anchor)


def _numerator(similarity: Tensor, weights: Tensor, weight: Tensor, summation: Summation) -> tuple[Tensor, Tensor]:
    """[anchor]: the logarithm of the fractions' numerators, averaged; and X."""
    if summation == "in":
        share, log_sum = _softmax(similarity + weights.log())
        return log_sum - weight.log(), share
    share = weights / weight[:, None].clamp(min=torch.finfo(weight.dtype).tiny)
    return (share * similarity).sum(1), share


def _one_positive(
    similarity: Tensor, weights: Tensor, weight: Tensor, negatives: Tensor, summation: Summation
) -> tuple[Tensor, Tensor]:
    """[anchor]: the loss; and how much each positive pulls: its share times the part of its fraction still missing."""
    lead = similarity - negatives[:, None]
    missing = (-lead).sigmoid()
    if summation == "in":
        share, log_sum = _softmax(logsigmoid(lead) + weights.log())
        return weight.log() - log_sum, share * missing
    share = weights / weight[:, None].clamp(min=torch.finfo(weight.dtype).tiny)
    return -(share * logsigmoid(lead)).sum(1), share * missing


def _softmax(exponent: Tensor) -> tuple[Tensor, Tensor]:
    """Softmax and log-sum-exp over columns, in the exponent's memory; 0 and minus infinity where all are left out."""
    largest = exponent.amax(1, keepdim=True).clamp_(min=torch.finfo(exponent.dtype).min)
    exponent.sub_(largest).mul_(BITS).exp2_()
    total = exponent.sum(1, keepdim=True)
    log_sum = total.log().add_(largest).squeeze(1)
    return exponent.div_(total.clamp_(min=torch.finfo(total.dtype).tiny)), log_sum
