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
from supcon.losses.tiles import NEVER, exp_


class Matrix(NamedTuple):
    """Anchors against all their columns."""

    similarity: Tensor
    """[anchor, column], divided by the temperature."""
    weights: Tensor
    """[anchor, column]: above 0 for positives."""
    log_weights: Tensor
    """[anchor, column]: their logarithms, `NEVER` for 0; only Eq. 3 looks at them."""
    under: Tensor
    """[anchor, column]: 1 for A(i), or for N(i) unless the denominator is "all"; 0 for what is left out of it."""


class ClosedForm(NamedTuple):
    """Losses and their gradients."""

    value: Tensor
    """[anchor]: the loss; 0 for a row that is no anchor."""
    slope: Tensor
    """[anchor, column]: d loss / d similarity, for a row that is an anchor."""
    is_anchor: Tensor
    """[anchor]: whether there is a positive and, for the denominator "negatives", a negative."""


def closed_form(matrix: Matrix, summation: Summation, denominator: Denominator) -> ClosedForm:
    """Eq. 2 or Eq. 3 for every anchor; uses up the matrix's memory."""
    weight = matrix.weights.sum(1)
    is_anchor = weight > 0
    softmax, log_sum = _softmax(matrix.under.sub_(1).mul_(-NEVER).add_(matrix.similarity))
    if denominator == "one_positive":
        value, pull = _one_positive(matrix, weight, log_sum, summation)
        softmax *= pull.sum(1, keepdim=True)
    else:
        log_numerator, pull = _numerator(matrix, weight, summation)
        value = log_sum - log_numerator
    if denominator == "negatives":
        is_anchor &= log_sum > NEVER / 2
    return ClosedForm(torch.where(is_anchor, value, 0.0), softmax.sub_(pull), is_anchor)


def _numerator(matrix: Matrix, weight: Tensor, summation: Summation) -> tuple[Tensor, Tensor]:
    """[anchor]: the logarithm of the fractions' numerators, averaged; and X."""
    if summation == "in":
        share, log_sum = _softmax(matrix.log_weights.add_(matrix.similarity))
        return log_sum - weight.log(), share
    share = _shares(matrix, weight)
    return matrix.similarity.mul_(share).sum(1), share


def _one_positive(matrix: Matrix, weight: Tensor, negatives: Tensor, summation: Summation) -> tuple[Tensor, Tensor]:
    """[anchor]: the loss; and how much each positive pulls: its share times the part of its fraction still missing."""
    lead = matrix.similarity.sub_(negatives[:, None])
    log_ratio, missing = logsigmoid(lead), lead.neg_().sigmoid_()
    if summation == "in":
        share, log_sum = _softmax(matrix.log_weights.add_(log_ratio))
        return weight.log() - log_sum, missing.mul_(share)
    share = _shares(matrix, weight)
    return -log_ratio.mul_(share).sum(1), missing.mul_(share)


def _shares(matrix: Matrix, weight: Tensor) -> Tensor:
    return matrix.weights.div_(weight.clamp(min=torch.finfo(weight.dtype).tiny)[:, None])


def _softmax(exponent: Tensor) -> tuple[Tensor, Tensor]:
    """Softmax and log-sum-exp over columns, in the exponent's memory; about `NEVER` where all are left out."""
    largest = exponent.amax(1, keepdim=True)
    total = exp_(exponent.sub_(largest)).sum(1, keepdim=True)
    return exponent.div_(total), total.log().add_(largest).squeeze(1)
