"""The contribution of each pair to an anchor's gradient: the supplementary's analysis of hard and easy pairs."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from supcon.losses import config
from supcon.losses.config import Denominator, Summation
from supcon.losses.engine.dense import above_zero, log_sum_exp
from supcon.losses.engine.pair_sets import Block, Members
from supcon.losses.engine.product import product
from supcon.losses.inputs.class_order import class_numbers
from supcon.losses.inputs.flat_rows import flatten
from supcon.losses.inputs.unit_norm import unit_norm


class PairGradientWeights(NamedTuple):
    """The contribution of each pair to its anchor's gradient."""

    weights: Tensor
    """[anchor, row]: negative: the gradient step pulls the pair together; positive: it pushes the pair apart; a large
    absolute value: a hard pair."""
    is_positive: Tensor
    """[anchor, row]: True where the row is a positive of the anchor."""
    p: Tensor
    """[anchor, row]: P_ix, the row's probability by the softmax over the denominator."""
    x: Tensor
    """[anchor, row]: X_ix, the target probability; 0 for a negative."""


@torch.no_grad()
def pair_gradient_weights(
    projections: Tensor,
    labels: Tensor | None = None,
    *,
    temperature: float = 0.1,
    summation: Summation = "out",
    denominator: Denominator = "all",
    rows: Tensor | Sequence[int] | None = None,
) -> PairGradientWeights:
    """(P_ip - X_ip) sqrt(1 - (z_i . z_p)^2) for positives, P_in sqrt(1 - (z_i . z_n)^2) for negatives.

    The gradient of an anchor's loss with respect to its vector w_i before normalisation is the sum over rows x of
    (z_x - (z_i . z_x) z_i) (P_ix - X_ix) / (tau |w_i|), with X = 0 for negatives; the weights are the signed lengths of
    its terms, times tau |w_i|. For easy pairs the square root, and with it the weight, is close to 0.

    Args:
        projections: [batch, view, dim] with labels [batch] or None, or [row, dim] with labels [row].
        labels: classes from 0 up, -1 for unlabelled.
        temperature: tau.
        summation: "out", Eq. 2, or "in", Eq. 3.
        denominator: the rows in the denominator, as in `SupConLoss`.
        rows: [anchor], the row numbers of the anchors, counted from the end if negative; None: all. The result has
            anchors x rows numbers, so choose a part of the anchors in large batches.

    Returns:
        The weights, 0 for an anchor with itself and for a row without positives; which pairs are positives; and P_ix
        and X_ix. With "one_positive", where every positive has its own denominator, P_ip is weighted by X_ip, and P_in
        is the sum over positives.

    Examples:
        >>> projections = torch.tensor([[1.0, 0.0], [0.6, 0.8], [0.8, -0.6]])  # anchor, positive, negative
        >>> pair_gradient_weights(projections, torch.tensor([0, 0, 1]), temperature=1.0).weights[0]
        tensor([ 0.0000, -0.4399,  0.3299])
    """
    config.check_temperature(temperature)
    config.check_summation(summation)
    config.check_denominator(denominator)
    flat = flatten(projections, labels)
    count, device = flat.label.shape[0], flat.label.device
    place = torch.arange(count, device=device) if rows is None else _places(rows, count, device)
    unit = unit_norm(flat.projections.to(torch.promote_types(flat.projections.dtype, torch.float32)))
    table = torch.stack([class_numbers(flat.classes()), torch.arange(count, device=device)]).to(unit.dtype)
    every = Members(unit, table)
    block = Block(anchors=every.take(place), columns=every)
    sets = block.sets()
    in_denominator = sets.in_denominator("others" if denominator == "all" else "negatives")
    similarity = product(block.anchors.vectors, unit)
    p, x = _p_and_x(similarity / temperature, sets.weights, in_denominator, summation, denominator)
    is_anchor = sets.weights.sum(1, keepdim=True) > 0
    if denominator == "negatives":
        is_anchor = is_anchor & (in_denominator.sum(1, keepdim=True) > 0)
    p, x = torch.where(is_anchor, p, 0.0), torch.where(is_anchor, x, 0.0)
    sine = (1 - similarity.square()).clamp_(min=0).sqrt_()
    return PairGradientWeights((p - x) * sine, sets.weights > 0, p, x)


def _p_and_x(
    s: Tensor, weights: Tensor, in_denominator: Tensor, summation: Summation, denominator: Denominator
) -> tuple[Tensor, Tensor]:
    log_sum = log_sum_exp(s, in_denominator)
    p = in_denominator * (s - log_sum).clamp(max=0).exp()
    log_ratio = logsigmoid(s - log_sum) if denominator == "one_positive" else s
    if summation == "out":
        x = weights / above_zero(weights.sum(1, keepdim=True))
    else:
        x = weights * (log_ratio - log_sum_exp(log_ratio, weights)).clamp(max=0).exp()
    if denominator == "one_positive":
        own = x * log_ratio.exp()
        p = p * (x - own).sum(1, keepdim=True) + own
    return p, x


def _places(rows: Tensor | Sequence[int], count: int, device: torch.device) -> Tensor:
    """[anchor]: row numbers from 0 up."""
    place = torch.as_tensor(rows, device=device)
    if place.ndim != 1 or place.is_floating_point() or place.is_complex() or place.dtype == torch.bool:
        raise ValueError(
            f"rows must be a list or tensor of row numbers, got {place.dtype} of shape {list(place.shape)}; for a "
            "mask, give mask.nonzero().flatten()."
        )
    if bool(((place < -count) | (place >= count)).any()):
        raise ValueError(f"rows must be from {-count} to {count - 1}, got {place.tolist()}.")
    return place.to(torch.int64) % max(count, 1)
