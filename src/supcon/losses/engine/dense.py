"""Eq. 1, 2 and 3 of the paper with all options, on the whole similarity matrix, in plain autograd operations.

With s_ia = z_i . z_a / tau and a weight w_ip for every positive (1 for class labels, so that their sum is |P(i)|):

    out, Eq. 2:   - sum_p w_ip (s_ip - log D_ip) / sum_p w_ip
    in,  Eq. 3:   - log( sum_p w_ip exp(s_ip) / D_ip / sum_p w_ip )

    D_ip = sum over A(i) of exp(s_ia)                     "all", the paper's
         = exp(s_ip) + sum over N(i) of exp(s_in)         "one_positive"
         = sum over N(i) of exp(s_in)                     "negatives"

Eq. 1 is the special case in which the only positives are the anchor's own other views. Difference from the paper: a
row without a positive has no defined loss there; here it is not an anchor, and with "negatives", neither is a row
without a negative. `max_positives` removes positives from P(i) and A(i). The tests compare the tiles with this file.
"""

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from supcon.losses.config import Denominator, Summation
from supcon.losses.engine.pair_sets import Block, Pairs
from supcon.losses.engine.product import product

MASKED = -1e30
"""Replaces minus infinity: its exponential is 0, and sums and differences of it are not NaN."""


def anchor_losses(pairs: Pairs, summation: Summation, denominator: Denominator) -> tuple[Tensor, Tensor]:
    """[anchor] the loss, 0 if the row has no positive; and [anchor] True if it has one."""
    over = "negatives" if denominator != "all" else "others" if pairs.max_positives is None else "kept"
    s, weights, in_denominator = _matrices(pairs, over)
    weight = weights.sum(1, keepdim=True)
    is_anchor, weight = weight > 0, above_zero(weight)
    exponential = s.exp() if pairs.in_range else None
    log_denominator = log_sum_exp(s, in_denominator, exponential)
    if denominator == "one_positive":
        assert in_denominator is not None
        # Without negatives, the denominator consists of the positive only.
        is_empty = in_denominator.sum(1, keepdim=True) == 0
        log_ratio = logsigmoid(s - log_denominator.masked_fill(is_empty, MASKED))
        if summation == "out":
            values = -(weights * log_ratio).sum(1, keepdim=True) / weight
        else:
            values = weight.log() - log_sum_exp(log_ratio, weights)
    elif summation == "out":
        values = log_denominator - (weights * s).sum(1, keepdim=True) / weight
    else:
        values = log_denominator - log_sum_exp(s, weights, exponential) + weight.log()
    if denominator == "negatives":
        assert in_denominator is not None
        is_anchor = is_anchor & (in_denominator.sum(1, keepdim=True) > 0)
    return torch.where(is_anchor, values, 0.0).squeeze(1), is_anchor.squeeze(1)


def log_sum_over_others(pairs: Pairs) -> Tensor:
    """[anchor]: log of the sum of exp(s_ia) over A(i)."""
    s, _, in_denominator = _matrices(pairs, "others")
    return log_sum_exp(s, in_denominator).squeeze(1)


def log_sum_exp(exponent: Tensor, weights: Tensor | None, exponential: Tensor | None = None) -> Tensor:
    """[anchor, 1]: log of the sum of weight * exp(exponent), None: all 1; -87 or less if nothing is summed.

    Multiplies by the weights instead of adding their logarithms to the exponents, since the exponential of a very low
    number takes ten times as long on a CPU. `exponential` is exp(exponent), if it is in range without a shift.
    """
    shift = None
    if exponential is None:
        among = exponent.detach() if weights is None else exponent.detach() + (1 - weights.sign()) * MASKED
        shift = among.amax(1, keepdim=True) if exponent.shape[1] else 0.0
        # Only exponents of weight 0 are above 0; they must not overflow. (The bound is 1, since clamp has no gradient
        # at the bound.)
        exponential = (exponent - shift).clamp(max=1).exp()
    terms = exponential if weights is None else weights * exponential
    value = above_zero(terms.sum(1, keepdim=True)).log()
    return value if shift is None else value + shift


def above_zero(sums: Tensor) -> Tensor:
    """The sums, with 0 replaced by the smallest normal number, so that they can be divided by."""
    return sums.clamp(min=torch.finfo(sums.dtype).tiny)


def _matrices(pairs: Pairs, over: str) -> tuple[Tensor, Tensor, Tensor | None]:
    """Matrices [anchor, column], first for the batch's columns, then for the queue's.

    Returns:
        s_ia, with `MASKED` for a row with itself; the weights of the positives; and 1 for columns in the denominator,
        None: all columns that are not masked.
    """
    found = [_block_matrices(block, over) for block in pairs.blocks]
    if len(found) == 1:
        return found[0]
    s, weights, under = zip(*found, strict=True)
    if any(one is not None for one in under):
        under = tuple(torch.ones_like(w) if one is None else one for one, w in zip(under, weights, strict=True))
        return torch.cat(s, 1), torch.cat(weights, 1), torch.cat(under, 1)
    return torch.cat(s, 1), torch.cat(weights, 1), None


def _block_matrices(block: Block, over: str) -> tuple[Tensor, Tensor, Tensor | None]:
    sets = block.sets()
    anchors, columns = block.anchors.vectors, block.columns.vectors
    s = product(anchors, None if columns is anchors else columns)
    is_all = over == "others" and block.counts_negatives
    return s.add(sets.itself, alpha=MASKED), sets.weights, None if is_all else sets.in_denominator(over)
