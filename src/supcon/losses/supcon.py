"""The supervised contrastive losses, Eq. 2 and Eq. 3 of the paper: functions, and the module that stores options."""

from typing import TYPE_CHECKING, TypedDict, Unpack

import torch
from torch import Tensor, nn

from supcon.losses import config, engine
from supcon.losses.config import Anchors, Denominator, Rescale, Summation
from supcon.losses.inputs.flat_rows import FlatRows, assert_later, can_look_at
from supcon.losses.inputs.gathering import Group
from supcon.losses.inputs.loss_batch import collect
from supcon.losses.inputs.pairing import make_pairs
from supcon.losses.pair_weights import check_pair_weights
from supcon.losses.reduction import REDUCTIONS, Reduction, RowLosses, reduce_rows

if TYPE_CHECKING:
    from supcon.losses.memory_queue import MemoryQueue


class LossOptions(TypedDict, total=False):
    """The common options of `supcon_out_loss` and `supcon_in_loss`, which `supcon_row_losses` documents."""

    temperature: float | Tensor
    denominator: Denominator
    max_positives: int | None
    rescale: Rescale
    normalize: bool
    anchors: Anchors
    gather_distributed: bool
    process_group: Group
    pair_weights: Tensor | None
    queue: "MemoryQueue | None"
    generator: torch.Generator | None


class NoOptions(TypedDict):
    """Options that do not exist: type checkers refuse them, and at run time the error says what is meant instead."""


def supcon_out_loss(
    projections: Tensor,
    labels: Tensor | None = None,
    *,
    reduction: Reduction = "mean",
    **options: Unpack[LossOptions],
) -> Tensor:
    """Eq. 2 of the paper: the sum over positives outside of the logarithm. Options as in `supcon_row_losses`.

    Examples:
        >>> collapsed = torch.ones(4, 2, 3)
        >>> supcon_out_loss(collapsed, torch.tensor([0, 0, 1, 1]))  # log of the 7 other rows
        tensor(1.9459)
    """
    return supcon_loss(projections, labels, summation="out", reduction=reduction, **options)


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


def supcon_loss(
    projections: Tensor,
    labels: Tensor | None = None,
    *,
    summation: Summation = "out",
    reduction: Reduction = "mean",
    **options: Unpack[LossOptions],
) -> Tensor:
    """Eq. 2 or Eq. 3, reduced: "mean" over the anchors that have a positive, "sum", or "none": one value per row."""
    losses = supcon_row_losses(projections, labels, summation=summation, _reduction=reduction, **options)
    return reduce_rows(
        losses,
        reduction,
        gather_distributed=options.get("gather_distributed", False),
        process_group=options.get("process_group"),
    )


def supcon_row_losses(
    projections: Tensor,
    labels: Tensor | None = None,
    *,
    temperature: float | Tensor = 0.1,
    summation: Summation = "out",
    denominator: Denominator = "all",
    max_positives: int | None = None,
    rescale: Rescale = "none",
    normalize: bool = True,
    anchors: Anchors = "all",
    gather_distributed: bool = False,
    process_group: Group = None,
    pair_weights: Tensor | None = None,
    queue: "MemoryQueue | None" = None,
    generator: torch.Generator | None = None,
    _reduction: Reduction = "none",
    **unknown: Unpack[NoOptions],
) -> RowLosses:
    """Eq. 2 or Eq. 3 of the paper for every row, exactly, with memory linear in the number of rows.

    Args:
        projections: [batch, view, dim] with labels [batch] or None, or [row, dim] with labels [row].
        labels: classes from 0. -1 means unlabelled: the only positives of the row are its own other views; without
            labels this holds for all rows (Eq. 1).
        temperature: tau; a tensor of one number, such as a learned parameter, gets a gradient.
        summation: the sum over positives: "out" of the logarithm, Eq. 2, or "in" it, Eq. 3.
        denominator: "all" of A(i), as in the paper; "one_positive": the positive of the numerator and N(i); or
            "negatives": only N(i).
        max_positives: maximum number of positives per anchor (Table 5), including its own other views. The other
            positives are not in the denominator either.
        rescale: "none"; "temperature": times tau, as in the paper's training; a number: times tau / number, which is
            SupContrast's base_temperature.
        normalize: whether to scale every projection to unit norm; otherwise similarities are plain inner products.
        anchors: "all" rows, or the "first_view" of each image against all rows.
        gather_distributed: contrast with the rows of all processes.
        process_group: which processes; None: all.
        pair_weights: [row, row], the weight of row p as a positive of anchor i; used instead of the labels within the
            batch. With `gather_distributed`: [own rows, rows of all processes].
        queue: rows of past batches as further positives (by label) and negatives.
        generator: random generator for the choice of `max_positives`; None: torch's default.

    Returns:
        One value per row of this process's batch, and which rows are anchors.

    Raises:
        ValueError: if an argument is wrong.
    """

    def check(flat: FlatRows) -> None:
        config.refuse_unknown("the loss", unknown)
        _check_options(temperature, summation, denominator, max_positives, rescale, _reduction, anchors)
        if labels is None and pair_weights is None and projections.ndim == 2:
            raise ValueError(
                "labels must be given with projections of shape [row, dim], got None; without labels, positives are "
                "the other views of an image, in projections of shape [batch, view, dim]."
            )
        _check_cap(max_positives, flat.views, pair_weights)
        if pair_weights is not None:
            check_pair_weights(pair_weights)
        if queue is not None:
            queue.check_fits(flat.projections)

    batch = collect(
        projections,
        labels,
        pair_weights=pair_weights,
        check=check,
        settings={
            "temperature": temperature,
            "summation": summation,
            "denominator": denominator,
            "max_positives": 0 if max_positives is None else max_positives,
            "rescale": rescale,
            "reduction": _reduction,
            "normalize": bool(normalize),
            "anchors": anchors,
        },
        gather_distributed=gather_distributed,
        process_group=process_group,
    )
    step = batch.flat.views if anchors == "first_view" else 1
    tau = temperature.reshape(()) if isinstance(temperature, Tensor) else float(temperature)
    pairs = make_pairs(
        batch,
        temperature=tau,
        normalize=normalize,
        step=step,
        queue=queue,
        pair_weights=pair_weights,
        max_positives=None if max_positives is None else int(max_positives),
        generator=generator,
    )
    values, is_anchor = engine.anchor_losses(pairs, summation, denominator)
    values = values.to(batch.flat.projections.dtype)
    if rescale != "none":
        values = values * (tau if rescale == "temperature" else tau / float(rescale))
    return RowLosses(batch.spread(values, step), batch.spread(is_anchor, step))


class SupConLoss(nn.Module):
    """The supervised contrastive loss, Eq. 2 or Eq. 3 of the paper, and without labels Eq. 1.

    Args:
        temperature: tau, 0.1 in the paper. To learn it, pass an `nn.Parameter` of one number, which becomes a parameter
            of this module.
        summation: the sum over positives: "out" of the logarithm, Eq. 2, or "in" it, Eq. 3.
        denominator: the rows in the denominator: "all" other rows, as in the paper; "one_positive": the positive of the
            numerator and the negatives; "negatives": only the negatives.
        max_positives: maximum number of positives per anchor (Table 5 of the paper), including its own other views; the
            others are drawn at every call. None: no limit.
        rescale: factor of the loss: "none": 1; "temperature": tau, as in the paper's training; or a number b: tau / b,
            which is SupContrast's base_temperature.
        normalize: whether to scale every projection to unit norm; otherwise similarities are plain inner products.
        reduction: "mean" over the rows that have a positive, "sum", or "none": one value per row.
        anchors: "all" rows, or the "first_view" of each image against all rows (SupContrast's contrast_mode "one").
        gather_distributed: contrast with the rows of all processes. Do not multiply the loss by their number.
        process_group: which processes; None: all.

    Call it with projections of shape [batch, view, dim], not necessarily of unit norm, and labels of shape [batch]; -1
    means unlabelled. `forward` documents its other arguments.

    Examples:
        >>> projections = torch.ones(4, 2, 3)  # 4 images, 2 views; collapsed, so that the loss is log(7)
        >>> SupConLoss(temperature=0.1)(projections, torch.tensor([0, 0, 1, 1]))
        tensor(1.9459)
    """

    def __init__(
        self,
        temperature: float | Tensor = 0.1,
        *,
        summation: Summation = "out",
        denominator: Denominator = "all",
        max_positives: int | None = None,
        rescale: Rescale = "none",
        normalize: bool = True,
        reduction: Reduction = "mean",
        anchors: Anchors = "all",
        gather_distributed: bool = False,
        process_group: Group = None,
        **unknown: Unpack[NoOptions],
    ) -> None:
        super().__init__()
        config.refuse_unknown("SupConLoss", unknown)
        _check_options(temperature, summation, denominator, max_positives, rescale, reduction, anchors)
        self.temperature = temperature
        self.summation: Summation = summation
        self.denominator: Denominator = denominator
        self.max_positives = max_positives
        self.rescale: Rescale = rescale
        self.normalize = normalize
        self.reduction: Reduction = reduction
        self.anchors: Anchors = anchors
        self.gather_distributed = gather_distributed
        self.process_group = process_group

    def forward(
        self,
        projections: Tensor = None,  # type: ignore[assignment]  # required; None so that `features` reaches its hint
        labels: Tensor | None = None,
        pair_weights: Tensor | None = None,
        queue: "MemoryQueue | None" = None,
        generator: torch.Generator | None = None,
        **unknown: Unpack[NoOptions],
    ) -> Tensor:
        """The loss of projections [batch, view, dim] with labels [batch] or None, or [row, dim] with labels [row].

        Args:
            projections: z, of any norm unless `normalize` is False.
            labels: classes from 0, -1 for unlabelled; None: positives are the other views of an image (Eq. 1).
            pair_weights: [row, row], the weight of row p as a positive of anchor i; used instead of the labels within
                the batch.
            queue: a `MemoryQueue` of past batches.
            generator: random generator for the choice of `max_positives`; None: torch's default.
        """
        config.refuse_unknown("SupConLoss", unknown)
        return supcon_loss(
            projections,
            labels,
            temperature=self.temperature,
            summation=self.summation,
            denominator=self.denominator,
            max_positives=self.max_positives,
            rescale=self.rescale,
            normalize=self.normalize,
            reduction=self.reduction,
            anchors=self.anchors,
            gather_distributed=self.gather_distributed,
            process_group=self.process_group,
            pair_weights=pair_weights,
            queue=queue,
            generator=generator,
        )

    if TYPE_CHECKING:
        __call__ = forward  # otherwise type checkers do not check the arguments of a call

    def extra_repr(self) -> str:
        names = ("summation", "denominator", "max_positives", "rescale", "normalize", "reduction", "anchors")
        options = {name: getattr(self, name) for name in ("temperature", *names, "gather_distributed")}
        return ", ".join(f"{name}={value!r}" for name, value in options.items())


def _check_options(
    temperature: float | Tensor,
    summation: str,
    denominator: str,
    max_positives: int | None,
    rescale: Rescale,
    reduction: str,
    anchors: str,
) -> None:
    check_temperature(temperature)
    config.check_summation(summation)
    config.check_denominator(denominator)
    config.check_max_positives(max_positives)
    config.check_rescale(rescale)
    config.check_choice("reduction", reduction, REDUCTIONS)
    config.check_choice("anchors", anchors, ("all", "first_view"))


def check_temperature(temperature: float | Tensor) -> None:
    """Raises an error unless the temperature is a number above 0 or a tensor of one number."""
    if not isinstance(temperature, Tensor):
        config.check_temperature(temperature)
    elif temperature.numel() != 1 or not temperature.is_floating_point():
        raise ValueError(
            "a learned temperature must be a tensor of one floating-point number, "
            f"got {temperature.dtype} of shape {list(temperature.shape)}."
        )
    elif can_look_at(temperature):
        config.check_temperature(float(temperature.detach()))
    else:
        is_right = ((temperature > 0) & (temperature < torch.inf)).all()
        assert_later(is_right, "temperature must be a number above 0.")


def _check_cap(max_positives: int | None, views: int, pair_weights: Tensor | None) -> None:
    if max_positives is not None and max_positives < views - 1:
        raise ValueError(
            f"max_positives must be at least {views - 1}, the anchor's own other views, got {max_positives}."
        )
    if max_positives is not None and pair_weights is not None:
        raise ValueError(
            f"max_positives must be None with pair_weights, got {max_positives}; set the weights of the surplus to 0."
        )
