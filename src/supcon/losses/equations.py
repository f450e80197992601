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
from supcon.losses.pairs import Pairs, log_add
from supcon.losses.tiles import are_few
from supcon.losses.whole_matrix import whole_matrix_losses


def anchor_losses(pairs: Pairs, summation: Summation, denominator: Denominator) -> tuple[Tensor, Tensor]:
    """The loss of every anchor, and which of them are anchors indeed.

    Returns:
        [anchor] values, 0 where it has no positive, and [anchor] True where it has one.
    """
    if pairs.positive_weight is None or (are_few(pairs.count) and not _is_quick(pairs, denominator)):
        return whole_matrix_losses(pairs, summation, denominator)
    weight = pairs.positive_weight.clamp(min=torch.finfo(pairs.positive_weight.dtype).tiny)
    is_anchor = pairs.positive_weight > 0
    if denominator == "negatives":
        is_anchor &= ~pairs.over_negatives.isneginf()
    if denominator != "one_positive":
        values = _log_denominator(pairs, summation, denominator) - _log_numerator(pairs, summation, weight)
    elif summation == "out":
        values = pairs.one_positive_out() / weight
    else:
        values = weight.log() - pairs.one_positive_in()
    return torch.where(is_anchor, values, 0.0), is_anchor


def _is_quick(pairs: Pairs, denominator: Denominator) -> bool:
    """Whether symmetry gives the sums in fewer operations than the closed form of the whole matrix."""
    return pairs.is_symmetric and not (pairs.capped or pairs.weighted or denominator == "one_positive")


def _log_denominator(pairs: Pairs, summation: Summation, denominator: Denominator) -> Tensor:
    if denominator == "negatives":
        return pairs.over_negatives
    if pairs.weighted or (summation == "out" and not pairs.capped):
        return pairs.over_others()
    # Eq. 3 needs the sum over P(i) anyway, and together with it the one over N(i) costs next to nothing.
    return log_add(pairs.over_positives, pairs.over_negatives)


def _log_numerator(pairs: Pairs, summation: Summation, weight: Tensor) -> Tensor:
    if summation == "out":
        return pairs.positive_similarity() / weight
    return pairs.over_positives - weight.log()
