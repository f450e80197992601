"""The N-pairs loss, as the paper's supplementary derives it from Eq. 2."""

from typing import get_args

import torch
from torch import Tensor

from supcon.losses import config
from supcon.losses.batch import collect
from supcon.losses.class_order import draw_class_order
from supcon.losses.eager import eager, full_precision
from supcon.losses.label_pairs import label_pairs
from supcon.losses.reduction import Reduction, RowLosses, reduce_rows
from supcon.losses.sources import make_sources


@eager
def n_pairs_loss(
    projections: Tensor,
    labels: Tensor,
    *,
    temperature: float = 1.0,
    reduction: Reduction = "mean",
    normalize: bool = True,
    gather_distributed: bool = False,
    generator: torch.Generator | None = None,
) -> Tensor:
    """The N-pairs loss as a special case of Eq. 2: P(i) = {k(i)}, one row of another image of the class, and tau = 1.

    Departures from the supplementary's equation: k(i) is drawn, equally likely among all rows of other images of the
    class; a row whose class has no other image is no anchor; the mean over anchors is the default, not the sum.

    Args:
        projections: [batch, view, dim] with labels [batch], or [row, dim] with labels [row].
        labels: classes from 0 up; an unlabelled row, -1, is no anchor.
        temperature: 1 in the paper.
        reduction: "mean" over anchors, "sum", or "none".
        normalize: scale every projection to unit norm first.
        gather_distributed: contrast with the rows of all processes.
        generator: draws the positives; None: torch's own.
    """
    config.check_temperature(temperature)
    config.check_choice("reduction", reduction, get_args(Reduction))
    batch = collect(projections, labels, gather_distributed=gather_distributed)
    with full_precision(projections.device):
        sources, in_range = make_sources(batch.flat, None, temperature=temperature, normalize=normalize)
        pairs = label_pairs(sources, batch.anchor_row(first_view=False), temperature=temperature, in_range=in_range)
        rows = sources[0]
        order = draw_class_order(rows.label, rows.image, generator)
        is_anchor, positive = order.size > rows.views, order.at(order.begin + rows.views)
        if pairs.row is not None:
            is_anchor, positive = is_anchor[pairs.row], positive[pairs.row]
        similarity = (pairs.anchors * rows.projections.index_select(0, positive)).sum(1) / temperature
        values = torch.where(is_anchor, pairs.over_others() - similarity, 0.0)
        losses = RowLosses(batch.spread(values, pairs.row), batch.spread(is_anchor, pairs.row))
    return reduce_rows(losses, reduction, gather_distributed=gather_distributed)
