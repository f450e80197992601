"""The triplet loss, as the paper's supplementary derives it from Eq. 2."""

from typing import Literal, get_args

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from supcon.losses import config
from supcon.losses.batch import collect
from supcon.losses.class_order import draw_class_order
from supcon.losses.eager import eager, full_precision
from supcon.losses.reduction import Reduction, RowLosses, reduce_rows
from supcon.losses.rows import Rows
from supcon.losses.sources import make_sources

TripletForm = Literal["contrastive", "hinge"]


@eager
def triplet_loss(
    projections: Tensor,
    labels: Tensor | None = None,
    *,
    temperature: float = 0.1,
    form: TripletForm = "contrastive",
    reduction: Reduction = "mean",
    normalize: bool = True,
    gather_distributed: bool = False,
    generator: torch.Generator | None = None,
) -> Tensor:
    """The triplet loss as a special case of Eq. 2: one positive p and one negative n for every anchor a.

    "contrastive" is Eq. 2 with that one pair: log(1 + exp((z_a . z_n - z_a . z_p) / tau)). "hinge" is what the
    supplementary's derivation ends with, the classical triplet loss with margin 2 tau:
    max(0, |z_a - z_p|^2 - |z_a - z_n|^2 + 2 tau).

    Departures: p and n are drawn, equally likely among all positives and all negatives; a row without one or the
    other is no anchor.

    Args:
        projections: [batch, view, dim] with labels [batch] or None, or [row, dim] with labels [row].
        labels: classes from 0 up, -1 or None for unlabelled: then the positive is another view of the image.
        temperature: tau; the margin is twice of it.
        form: "contrastive" or "hinge".
        reduction: "mean" over anchors, "sum", or "none".
        normalize: scale every projection to unit norm first.
        gather_distributed: draw positives and negatives from the rows of all processes.
        generator: draws them; None: torch's own.
    """
    config.check_temperature(temperature)
    config.check_choice("form", form, get_args(TripletForm))
    config.check_choice("reduction", reduction, get_args(Reduction))
    batch = collect(projections, labels, gather_distributed=gather_distributed)
    row = batch.anchor_row(first_view=False)
    with full_precision(projections.device):
        (rows,), _ = make_sources(batch.flat, None, temperature=temperature, normalize=normalize)
        positive, negative, anchors = _draw(rows, generator)
        row = torch.arange(len(rows.label), device=rows.label.device) if row is None else row
        anchor, positive, negative = (rows.projections[place] for place in (row, positive[row], negative[row]))
        values = torch.where(anchors[row], _FORMS[form](anchor, positive, negative, temperature), 0.0)
        losses = RowLosses(batch.spread(values, row), batch.spread(anchors[row], row))
    return reduce_rows(losses, reduction, gather_distributed=gather_distributed)


def _contrastive(anchor: Tensor, positive: Tensor, negative: Tensor, temperature: float) -> Tensor:
    # Not softplus, which drops the logarithm above 20.
    return -logsigmoid((anchor * (positive - negative)).sum(1) / temperature)


def _hinge(anchor: Tensor, positive: Tensor, negative: Tensor, temperature: float) -> Tensor:
    return ((anchor - positive).square().sum(1) - (anchor - negative).square().sum(1) + 2 * temperature).relu()


_FORMS = {"contrastive": _contrastive, "hinge": _hinge}


def _draw(rows: Rows, generator: torch.Generator | None) -> tuple[Tensor, Tensor, Tensor]:
    """[row]: one other row of the class, one row of another class, and whether there are both."""
    order, count = draw_class_order(rows.label, rows.image, generator), len(rows.label)
    step = 1 + _below(order.size - 1, generator)
    skip = _below(count - order.size, generator)
    negative = order.row[(order.start + order.size + skip) % count]
    return order.at(order.position + step), negative, (order.size > 1) & (order.size < count)


def _below(limit: Tensor, generator: torch.Generator | None) -> Tensor:
    """[row]: whole numbers from 0 to below the limit, each equally likely; 0 where the limit is 0."""
    source = limit.device if generator is None else generator.device
    uniform = torch.rand(len(limit), generator=generator, dtype=torch.float64, device=source).to(limit.device)
    return (uniform * limit).long()
