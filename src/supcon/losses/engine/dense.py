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
from supcon.losses.engine.pair_sets import Pairs
from supcon.losses.engine.product import product

MASKED = -1e30
"""An exponent whose exponential is 0, and that no sum or difference turns into NaN."""


def anchor_losses(pairs: Pairs, summation: Summation, denominator: Denominator) -> tuple[Tensor, Tensor]:
    """[anchor] the loss, 0 where the row is not an anchor; and [anchor] True where it is one."""
    similarity = _similarity(pairs)
    weights, excluded = _sets(pairs, "kept" if denominator == "all" else "negatives")
    in_denominator = similarity.masked_fill(excluded, MASKED)
    if denominator == "all":
        log_ratio = in_denominator.log_softmax(1)
    elif denominator == "one_positive":
        log_ratio = logsigmoid(similarity - in_denominator.logsumexp(1, keepdim=True))
    else:
        log_ratio = similarity - in_denominator.logsumexp(1, keepdim=True)
    weight = weights.sum(1, keepdim=True)
    share = weights / weight.clamp(min=torch.finfo(weight.dtype).tiny)
    if summation == "out":
        values = -(share * log_ratio).sum(1)
    else:
        log_share = share.clamp(min=torch.finfo(weight.dtype).tiny).log()
        values = -(log_share + log_ratio).masked_fill(weights == 0, MASKED).logsumexp(1)
    is_anchor = weight.squeeze(1) > 0
    if denominator == "negatives":
        is_anchor = is_anchor & ~excluded.all(1)
    return torch.where(is_anchor, values, 0.0), is_anchor


def log_sum_over_others(pairs: Pairs) -> Tensor:
    """[anchor]: log of the sum of exp(s_ia) over A(i)."""
    return _similarity(pairs).masked_fill(_sets(pairs, "others")[1], MASKED).logsumexp(1)


def _similarity(pairs: Pairs) -> Tensor:
    """[anchor, column]: s_ia, of the batch's columns and then the queue's."""
    anchors = pairs.anchors.vectors
    batch = product(anchors, None if pairs.columns is pairs.anchors else pairs.columns.vectors)
    return batch if pairs.queue is None else torch.cat([batch, product(anchors, pairs.queue.vectors)], 1)


def _sets(pairs: Pairs, over: str) -> tuple[Tensor, Tensor]:
    """[anchor, column]: the weights of the positives; and True for what the denominator leaves out."""
    found = [(sets.weights, block.excluded(sets, over)) for block in pairs.blocks for sets in [block.sets()]]
    if len(found) == 1:
        return found[0]
    return torch.cat([weights for weights, _ in found], 1), torch.cat([excluded for _, excluded in found], 1)
