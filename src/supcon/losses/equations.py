"""Eq. 2 and Eq. 3 of the paper under each of the three denominators, as one value per anchor.

With s_ip = z_i . z_p / tau and a weight w_ip for every positive (1 for class labels, so that their sum is |P(i)|):

    out, Eq. 2:   - sum_p w_ip (s_ip - log D_ip) / sum_p w_ip
    in,  Eq. 3:   - log( sum_p w_ip exp(s_ip) / D_ip / sum_p w_ip )

    D_ip = sum over A(i) of exp(s_ia)                     "all", the paper's
         = exp(s_ip) + sum over N(i) of exp(s_in)         "one_positive"
         = sum over N(i) of exp(s_in)                     "negatives"

Eq. 1 is either one where the only positives are the anchor's own other views. Departure: a row without a positive has
no value in the paper and is no anchor here; with "negatives", neither is a row without a negative.
"""

import torch
from torch import Tensor

from supcon.losses.config import Denominator, Summation
from supcon.losses.pairs import Pairs
from supcon.losses.whole_matrix import whole_matrix_losses


def anchor_losses(pairs: Pairs, summation: Summation, denominator: Denominator) -> tuple[Tensor, Tensor]:
    """The loss of every anchor, and which of them are anchors indeed.

    Returns:
        [anchor] values, 0 where it has no positive, and [anchor] True where it has one.
    """
    if pairs.few:
        return whole_matrix_losses(pairs, summation, denominator)
    anchors = pairs.positive_weight > 0
    if denominator == "one_positive":
        return _one_positive(pairs, summation, anchors), anchors
    if denominator == "all":
        log_denominator = pairs.over_others()
    else:
        log_denominator = pairs.over_negatives()
        anchors = anchors & ~log_denominator.isneginf()
    return _kept(log_denominator, anchors) - _log_numerator(pairs, summation, anchors), anchors


def _one_positive(pairs: Pairs, summation: Summation, anchors: Tensor) -> Tensor:
    weight, negatives = _weight(pairs, anchors), pairs.over_negatives()
    if summation == "out":
        return _kept(pairs.over_positives("one_positive_out", negatives), anchors) / weight
    return weight.log() - _kept(pairs.over_positives("one_positive_in", negatives), anchors)


def _log_numerator(pairs: Pairs, summation: Summation, anchors: Tensor) -> Tensor:
    weight = _weight(pairs, anchors)
    if summation == "out":
        return _kept(pairs.positive_similarity(), anchors) / weight
    return _kept(pairs.positive_log_sum_exp, anchors) - weight.log()


def _weight(pairs: Pairs, anchors: Tensor) -> Tensor:
    return pairs.positive_weight.masked_fill(~anchors, 1.0)


def _kept(values: Tensor, anchors: Tensor) -> Tensor:
    # Selected before anything is computed from it, so that no infinity meets a zero on the way back.
    return torch.where(anchors, values, 0.0)
