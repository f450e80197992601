"""The triplet loss, as the paper's supplementary derives it from Eq. 2."""

from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from supcon.losses import config
from supcon.losses.inputs.class_order import draw_class_order
from supcon.losses.inputs.flat_rows import FlatRows
from supcon.losses.inputs.gathering import Group
from supcon.losses.inputs.loss_batch import collect
from supcon.losses.inputs.pairing import scaled_rows
from supcon.losses.reduction import REDUCTIONS, Reduction, RowLosses, reduce_rows

TripletForm = Literal["contrastive", "hinge"]


def triplet_loss(
    projections: Tensor,
    labels: Tensor | None = None,
    *,
    temperature: float = 0.1,
    form: TripletForm = "contrastive",
    reduction: Reduction = "mean",
    normalize: bool = True,
    gather_distributed: bool = False,
    process_group: Group = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    """The triplet loss as a special case of Eq. 2: one positive p and one negative n for every anchor a.

    "contrastive" is Eq. 2 with that one pair: log(1 + exp((z_a . z_n - z_a . z_p) / tau)). "hinge" is the result of the
    supplementary's derivation, the classical triplet loss with margin 2 tau:
    max(0, |z_a - z_p|^2 - |z_a - z_n|^2 + 2 tau).

    Differences from the supplementary: p and n are drawn uniformly from all positives and all negatives; a row without
    a positive or without a negative is not an anchor.

    Args:
        projections: [batch, view, dim] with labels [batch] or None, or [row, dim] with labels [row].
        labels: classes from 0; -1 or None: unlabelled, then the positive is another view of the image.
        temperature: tau; the margin is 2 tau.
        form: "contrastive" or "hinge".
        reduction: "mean" over anchors, "sum", or "none".
        normalize: scale every projection to unit norm first.
        gather_distributed: draw positives and negatives from the rows of all processes.
        process_group: which processes; None: all.
        generator: random generator for the draws; None: torch's default.
    """

    def check(_: FlatRows) -> None:
        config.check_temperature(temperature)
        config.check_choice("form", form, ("contrastive", "hinge"))
        config.check_choice("reduction", reduction, REDUCTIONS)

    batch = collect(
        projections,
        labels,
        check=check,
        settings={"temperature": temperature, "form": form, "reduction": reduction, "normalize": bool(normalize)},
        gather_distributed=gather_distributed,
        process_group=process_group,
    )
    tau = float(temperature)
    rows = scaled_rows(batch.flat, tau, normalize)
    own = slice(batch.first, batch.first + batch.count)
    positive, negative, is_anchor = (found[own] for found in _draw(batch.flat, generator))
    triplet = rows[own], rows.index_select(0, positive), rows.index_select(0, negative)
    values = torch.where(is_anchor, _FORMS[form](*triplet, tau), 0.0)
    losses = RowLosses(values.to(batch.flat.projections.dtype), is_anchor)
    return reduce_rows(losses, reduction, gather_distributed=gather_distributed, process_group=process_group)


def _contrastive(anchor: Tensor, positive: Tensor, negative: Tensor, _: float) -> Tensor:
    # Not softplus, which is linear above 20.
    return -logsigmoid((anchor * (positive - negative)).sum(1))


def _hinge(anchor: Tensor, positive: Tensor, negative: Tensor, temperature: float) -> Tensor:
    # The rows are divided by sqrt(tau), so that squared distances are divided by tau.
    distance = (anchor - positive).square().sum(1) - (anchor - negative).square().sum(1)
    return temperature * (distance + 2).relu()


_FORMS = {"contrastive": _contrastive, "hinge": _hinge}


def _draw(flat: FlatRows, generator: torch.Generator | None) -> tuple[Tensor, Tensor, Tensor]:
    """[row]: another row of the class, a row of another class, and whether both exist."""
    count = flat.label.shape[0]
    order = draw_class_order(flat.classes(), flat.images(), generator, images=count // flat.views)
    step = 1 + _below(order.size - 1, generator)
    skip = _below(count - order.size, generator)
    negative = order.row[(order.start + order.size + skip) % max(count, 1)]
    return order.at(order.position + step), negative, (order.size > 1) & (order.size < count)


def _below(limit: Tensor, generator: torch.Generator | None) -> Tensor:
    """[row]: random integers from 0 to limit - 1, uniform; 0 if the limit is 0."""
    source = limit.device if generator is None else generator.device
    # Metal has no float64; float32 is exact enough for 2**24 rows, but could round up to the limit.
    wide = torch.float32 if "mps" in (source.type, limit.device.type) else torch.float64
    uniform = torch.rand(limit.shape[0], generator=generator, dtype=wide, device=source).to(limit.device)
    return torch.minimum((uniform * limit).long(), (limit - 1).clamp(min=0))
