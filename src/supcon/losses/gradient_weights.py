"""How much each pair moves an anchor: the supplementary's analysis of hard positives and negatives, as numbers."""

from typing import NamedTuple

import torch
from torch import Tensor

from supcon.losses import config
from supcon.losses.closed_form import Matrix, closed_form
from supcon.losses.config import Denominator, Summation
from supcon.losses.rows import flatten, tell_apart
from supcon.losses.tiles import NEVER
from supcon.losses.unit_norm import unit_norm


class PairGradientWeights(NamedTuple):
    """Each pair's share in its anchor's gradient."""

    weights: Tensor
    """[anchor, row]: below 0 the pair is pulled together, above 0 it is pushed apart, far from 0 it is hard."""
    is_positive: Tensor
    """[anchor, row]: True where the row is a positive of the anchor."""


@torch.no_grad()
def pair_gradient_weights(
    projections: Tensor,
    labels: Tensor | None = None,
    *,
    temperature: float = 0.1,
    summation: Summation = "out",
    denominator: Denominator = "all",
    rows: Tensor | None = None,
) -> PairGradientWeights:
    """(P_ip - X_ip) sqrt(1 - (z_i . z_p)^2) for positives, P_in sqrt(1 - (z_i . z_n)^2) for negatives.

    The gradient of an anchor's loss with respect to its vector w_i before normalisation is the sum over rows x of
    (z_x - (z_i . z_x) z_i) (P_ix - X_ix) / (tau |w_i|), with X = 0 for negatives; these are the signed lengths of its
    terms, times tau |w_i|. Easy pairs weigh next to nothing whatever their label, since the square root vanishes.

    Args:
        projections: [batch, view, dim] with labels [batch] or None, or [row, dim] with labels [row].
        labels: classes from 0 up, -1 for unlabelled.
        temperature: tau.
        summation: "out", Eq. 2, or "in", Eq. 3.
        denominator: what stands under the fraction.
        rows: [anchor], which rows to look from; None: all. The result has anchors x rows numbers, so look from some
            at a time if there are many.

    Returns:
        The weights, 0 for an anchor with itself and for a row that is no anchor; and which pairs are positives.

    >>> towards, away = torch.tensor([0.6, 0.8]), torch.tensor([0.8, -0.6])
    >>> anchor = torch.tensor([1.0, 0.0])
    >>> found = pair_gradient_weights(torch.stack([anchor, towards, away]), torch.tensor([0, 0, 1]), temperature=1.0)
    >>> found.weights[0]
    tensor([ 0.0000, -0.4399,  0.3299])
    """
    config.check_temperature(temperature)
    config.check_summation(summation)
    config.check_denominator(denominator)
    every = tell_apart(flatten(projections, labels))
    place = torch.arange(len(every.label), device=every.label.device) if rows is None else rows
    dtype = torch.promote_types(every.projections.dtype, torch.float32)
    unit = unit_norm(every.projections.to(dtype))
    similarity = unit[place] @ unit.t()
    same = every.label[place, None] == every.label
    itself = place[:, None] == torch.arange(len(every.label), device=place.device)
    is_positive = same & ~itself
    under = ~(itself if denominator == "all" else same)
    weights = is_positive.to(dtype)
    matrix = Matrix(similarity / temperature, weights, (weights - 1) * -NEVER, under.to(dtype))
    form = closed_form(matrix, summation, denominator)
    sine = (1 - similarity.square()).clamp_(min=0).sqrt_()
    weights = torch.where(form.is_anchor[:, None], form.slope * sine, 0.0)
    return PairGradientWeights(weights, is_positive)
