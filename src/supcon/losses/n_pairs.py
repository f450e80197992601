"""The N-pairs loss, as the paper's supplementary derives it from Eq. 2."""

import torch
from torch import Tensor

from supcon.losses import config, engine
from supcon.losses.inputs.class_order import draw_class_order
from supcon.losses.inputs.flat_rows import FlatRows
from supcon.losses.inputs.gathering import Group
from supcon.losses.inputs.loss_batch import collect
from supcon.losses.inputs.pairing import make_pairs
from supcon.losses.reduction import REDUCTIONS, Reduction, RowLosses, reduce_rows


def n_pairs_loss(
    projections: Tensor,
    labels: Tensor,
    *,
    temperature: float = 1.0,
    reduction: Reduction = "mean",
    normalize: bool = True,
    gather_distributed: bool = False,
    process_group: Group = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    """The N-pairs loss as a special case of Eq. 2: P(i) = {k(i)}, one row of another image of the class, and tau = 1.

    Differences from the supplementary's equation: k(i) is drawn uniformly from all rows of other images of the class; a
    row whose class has no other image is not an anchor; the default reduction is the mean over anchors, not the sum.

    Args:
        projections: [batch, view, dim] with labels [batch], or [row, dim] with labels [row].
        labels: classes from 0; an unlabelled row, -1, is not an anchor.
        temperature: 1 in the paper.
        reduction: "mean" over anchors, "sum", or "none".
        normalize: scale every projection to unit norm first.
        gather_distributed: contrast with the rows of all processes.
        process_group: which processes; None: all.
        generator: random generator for the positives; None: torch's default.
    """

    def check(_: FlatRows) -> None:
        config.check_temperature(temperature)
        config.check_choice("reduction", reduction, REDUCTIONS)
        if labels is None:
            raise ValueError("labels must be given, got None: a positive is a row of another image of the class.")

    batch = collect(
        projections,
        labels,
        check=check,
        settings={"temperature": temperature, "reduction": reduction, "normalize": bool(normalize)},
        gather_distributed=gather_distributed,
        process_group=process_group,
    )
    pairs = make_pairs(batch, temperature=float(temperature), normalize=normalize)
    flat, row = batch.flat, pairs.anchors.table[1].long()
    images = flat.label.shape[0] // flat.views
    order = draw_class_order(pairs.columns.table[0].long(), flat.images(), generator, images=images)
    is_anchor, positive = (order.size > flat.views)[row], order.at(order.begin + flat.views)[row]
    similarity = (pairs.anchors.vectors * pairs.columns.vectors.index_select(0, positive)).sum(1)
    values = torch.where(is_anchor, engine.log_sum_over_others(pairs) - similarity, 0.0)
    losses = RowLosses(values.to(flat.projections.dtype), is_anchor)
    return reduce_rows(losses, reduction, gather_distributed=gather_distributed, process_group=process_group)
