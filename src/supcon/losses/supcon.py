"""The supervised contrastive losses, Eq. 2 and Eq. 3 of the paper, as pure functions."""

from typing import TYPE_CHECKING, Literal, TypedDict, Unpack, get_args

import torch
from torch import Tensor

from supcon.losses import config
from supcon.losses.batch import collect
from supcon.losses.config import Denominator, Rescale, Summation
from supcon.losses.eager import eager, full_precision
from supcon.losses.equations import anchor_losses
from supcon.losses.few_rows import are_few_rows, few_rows_losses
from supcon.losses.label_pairs import label_pairs
from supcon.losses.reduction import Reduction, RowLosses, reduce_rows
from supcon.losses.sources import make_sources
from supcon.losses.weighted_pairs import weighted_pairs

if TYPE_CHECKING:
    from supcon.losses.memory_queue import MemoryQueue

Anchors = Literal["all", "first_view"]


class LossOptions(TypedDict, total=False):
    """The options that `supcon_out_loss` and `supcon_in_loss` share; `supcon_row_losses` says what each does."""

    temperature: float
    denominator: Denominator
    max_positives: int | None
    rescale: Rescale
    normalize: bool
    anchors: Anchors
    gather_distributed: bool
    pair_weights: Tensor | None
    queue: "MemoryQueue | None"
    generator: torch.Generator | None


@eager
def supcon_out_loss(
    projections: Tensor,
    labels: Tensor | None = None,
    *,
    reduction: Reduction = "mean",
    **options: Unpack[LossOptions],
) -> Tensor:
    """Eq. 2 of the paper: the sum over positives outside of the logarithm. Options as in `supcon_row_losses`.

    >>> collapsed = torch.ones(4, 2, 3)
    >>> supcon_out_loss(collapsed, torch.tensor([0, 0, 1, 1]))  # log of the 7 other rows
    tensor(1.9459)
    """
    return supcon_loss(projections, labels, summation="out", reduction=reduction, **options)


@eager
def supcon_in_loss(
    projections: Tensor,
    labels: Tensor | None = None,
    *,
    reduction: Reduction = "mean",
    **options: Unpack[LossOptions],
) -> Tensor:
    """Eq. 3 of the paper: the sum over positives inside of the logarithm. Options as in `supcon_row_losses`.

    It is never above Eq. 2, and trains worse (Table 1 of the paper: 67.4 % against 78.7 %).
    """
    return supcon_loss(projections, labels, summation="in", reduction=reduction, **options)


@eager
def supcon_loss(
    projections: Tensor,
    labels: Tensor | None = None,
    *,
    summation: Summation = "out",
    reduction: Reduction = "mean",
    **options: Unpack[LossOptions],
) -> Tensor:
    """Eq. 2 or Eq. 3, reduced: "mean" over the anchors that have a positive, "sum", or "none": one value per row."""
    config.check_choice("reduction", reduction, get_args(Reduction))
    losses = supcon_row_losses(projections, labels, summation=summation, **options)
    return reduce_rows(losses, reduction, gather_distributed=options.get("gather_distributed", False))


@eager
def supcon_row_losses(
    projections: Tensor,
    labels: Tensor | None = None,
    *,
    temperature: float = 0.1,
    summation: Summation = "out",
    denominator: Denominator = "all",
    max_positives: int | None = None,
    rescale: Rescale = "none",
    normalize: bool = True,
    anchors: Anchors = "all",
    gather_distributed: bool = False,
    pair_weights: Tensor | None = None,
    queue: "MemoryQueue | None" = None,
    generator: torch.Generator | None = None,
) -> RowLosses:
    """Eq. 2 or Eq. 3 of the paper for every row, exactly, in memory that grows with the rows and not their square.

    Args:
        projections: [batch, view, dim] with labels [batch] or None, or [row, dim] with labels [row].
        labels: classes from 0 up. -1 means unlabelled: that row's only positives are its own other views, as those of
            every row are without labels (Eq. 1).
        temperature: tau.
        summation: "out", Eq. 2, or "in", Eq. 3: where the sum over positives stands.
        denominator: "all" of A(i), as in the paper; "one_positive": the positive of the numerator and N(i); or
            "negatives": N(i) alone.
        max_positives: the cap of Table 5: at most that many positives for an anchor, its own other views always among
            them. The positives left out are gone from the denominator too.
        rescale: "none"; "temperature": times tau, as the paper trains; a number: times tau / number, which is
            SupContrast's base_temperature.
        normalize: scale every projection to unit norm first; without, similarities are the inner products as given.
        anchors: "all" rows, or the "first_view" of each image against all rows.
        gather_distributed: contrast with the rows of all processes.
        pair_weights: [row, row], how much row p is a positive of anchor i; replaces the labels within the batch. With
            `gather_distributed`: [own rows, rows of all processes].
        queue: rows of past batches as further positives (by label) and negatives.
        generator: draws which positives a cap keeps; None: torch's own.

    Returns:
        One value per row of this process's batch, and which rows are anchors.

    Raises:
        ValueError: if something given is not as it must be.
    """
    config.check_temperature(temperature)
    config.check_summation(summation)
    config.check_denominator(denominator)
    config.check_max_positives(max_positives)
    config.check_rescale(rescale)
    config.check_choice("anchors", anchors, get_args(Anchors))
    batch = collect(projections, labels, pair_weights, gather_distributed=gather_distributed)
    if labels is None and pair_weights is None and projections.ndim == 2:
        raise ValueError(
            "labels must be given with projections of shape [row, dim], got None; without labels, positives are the "
            "other views of an image, in projections of shape [batch, view, dim]."
        )
    _check_cap(max_positives, batch.flat.views, pair_weights)
    anchor_row = batch.anchor_row(first_view=anchors == "first_view")
    plain = summation == "out" and denominator == "all" and max_positives is None and pair_weights is None and normalize
    with full_precision(projections.device):
        if plain and not queue and anchor_row is None and are_few_rows(batch.flat, temperature):
            values, has_positive = few_rows_losses(batch.flat, temperature)
            return RowLosses(_rescale(values, rescale, temperature), has_positive)
        sources, in_range = make_sources(batch.flat, queue, temperature=temperature, normalize=normalize)
        if pair_weights is None:
            by_class = summation == "in" or denominator != "all" or max_positives is not None
            pairs = label_pairs(
                sources,
                anchor_row,
                temperature=temperature,
                in_range=in_range,
                max_positives=max_positives,
                by_class=by_class,
                generator=generator,
            )
        else:
            weights = pair_weights[:: batch.flat.views] if anchors == "first_view" else pair_weights
            pairs = weighted_pairs(sources, anchor_row, weights, temperature=temperature, in_range=in_range)
        values, has_positive = anchor_losses(pairs, summation, denominator)
        values = _rescale(values.to(batch.flat.projections.dtype), rescale, temperature)
        return RowLosses(batch.spread(values, pairs.row), batch.spread(has_positive, pairs.row))


def _rescale(values: Tensor, rescale: Rescale, temperature: float) -> Tensor:
    if rescale == "none":
        return values
    return values * (temperature if rescale == "temperature" else temperature / float(rescale))


def _check_cap(max_positives: int | None, views: int, pair_weights: Tensor | None) -> None:
    if max_positives is not None and max_positives < views - 1:
        raise ValueError(
            f"max_positives must be at least {views - 1}, the anchor's own other views, got {max_positives}."
        )
    if max_positives is not None and pair_weights is not None:
        raise ValueError(
            f"max_positives must be None with pair_weights, got {max_positives}; set the weights of the surplus to 0."
        )
