"""Eq. 1, 2 and 3 of the paper with every option, on the whole matrix of similarities, in plain autograd operations.

With s_ia = z_i . z_a / tau and a weight w_ip for every positive (1 for class labels, so that their sum is |P(i)|):

    out, Eq. 2:   - sum_p w_ip (s_ip - log D_ip) / sum_p w_ip
    in,  Eq. 3:   - log( sum_p w_ip exp(s_ip) / D_ip / sum_p w_ip )

    D_ip = sum over A(i) of exp(s_ia)                     "all", the paper's
         = exp(s_ip) + sum over N(i) of exp(s_in)         "one_positive"
         = sum over N(i) of exp(s_in)                     "negatives"

Eq. 1 is either one where the only positives are the anchor's own other views. Departure: a row without a positive has
no value in the paper and is not an anchor here; with "negatives", neither is a row without a negative. A cap takes
positives out of P(i) and A(i). This file is also what the tiles are tested against.
"""

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from supcon.losses.config import Denominator, Summation
from supcon.losses.engine.pair_sets import Block, Pairs
from supcon.losses.engine.product import product

MASKED = -1e30
"""An exponent whose exponential is 0, and that no sum or difference turns into NaN."""


def anchor_losses(pairs: Pairs, summation: Summation, denominator: Denominator) -> tuple[Tensor, Tensor]:
    """[anchor] the loss, 0 where the row is not an anchor; and [anchor] True where it is one."""
    over = "negatives" if denominator != "all" else "others" if pairs.most is None else "kept"
    s, weights, in_denominator = _matrices(pairs, over)
    weight = weights.sum(1, keepdim=True)
    is_anchor, weight = weight > 0, above_zero(weight)
    exponential = s.exp() if pairs.in_range else None
    log_denominator = log_sum_exp(s, in_denominator, exponential)
    if denominator == "one_positive":
        assert in_denominator is not None
        # Without a negative, the positive is all of its denominator.
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
    """[anchor, 1]: log of the sum of weight * exp(exponent), None: all 1; -87 or less where nothing is summed.

    Weights are multiplied and not added to the exponent as logarithms: on a CPU, the exponential of a very low number
    takes ten times as long as that of others. The exponential is given where it needs no shift to be in range.
    """
    shift = None
    if exponential is None:
        among = exponent.detach() if weights is None else exponent.detach() + (1 - weights.sign()) * MASKED
        shift = among.amax(1, keepdim=True) if exponent.shape[1] else 0.0
        # Above 0 are only those of weight 0, which must not become infinite. (At 0 itself, clamp has no gradient.)
        exponential = (exponent - shift).clamp(max=1).exp()
    terms = exponential if weights is None else weights * exponential
    value = above_zero(terms.sum(1, keepdim=True)).log()
    return value if shift is None else value + shift


def above_zero(sums: Tensor) -> Tensor:
    """The sums, with the smallest normal number in place of 0, to divide by."""
    return sums.clamp(min=torch.finfo(sums.dtype).tiny)


def _matrices(pairs: Pairs, over: str) -> tuple[Tensor, Tensor, Tensor | None]:
    """[anchor, column], of the batch's columns and then the queue's.

    Returns:
        s_ia, `MASKED` where a row meets itself; the weights of the positives; and 1 for what is in the denominator,
        None: all that is not masked.
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
    s = product(block.anchors.vectors, None if block.columns is block.anchors else block.columns.vectors)
    is_all = over == "others" and block.counts_negatives
    return s.add(sets.itself, alpha=MASKED), sets.weights, None if is_all else sets.in_denominator(over)
