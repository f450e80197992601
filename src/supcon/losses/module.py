"""The loss as a module: it stores the options and calls the function."""

from typing import TYPE_CHECKING, get_args

import torch
from torch import Tensor, nn

from supcon.losses import config
from supcon.losses.config import Denominator, Rescale, Summation
from supcon.losses.eager import eager
from supcon.losses.reduction import Reduction
from supcon.losses.supcon import Anchors, supcon_loss

if TYPE_CHECKING:
    from supcon.losses.memory_queue import MemoryQueue


class SupConLoss(nn.Module):
    """The supervised contrastive loss, Eq. 2 or Eq. 3 of the paper, and without labels Eq. 1.

    `supcon_row_losses` says what each option does.

    >>> projections = torch.ones(4, 2, 3)  # 4 images, 2 views; collapsed, so that the loss is log(7)
    >>> SupConLoss(temperature=0.1)(projections, torch.tensor([0, 0, 1, 1]))
    tensor(1.9459)
    """

    def __init__(
        self,
        temperature: float = 0.1,
        *,
        summation: Summation = "out",
        denominator: Denominator = "all",
        max_positives: int | None = None,
        rescale: Rescale = "none",
        normalize: bool = True,
        reduction: Reduction = "mean",
        anchors: Anchors = "all",
        gather_distributed: bool = False,
    ) -> None:
        super().__init__()
        config.check_temperature(temperature)
        config.check_summation(summation)
        config.check_denominator(denominator)
        config.check_max_positives(max_positives)
        config.check_rescale(rescale)
        config.check_choice("reduction", reduction, get_args(Reduction))
        config.check_choice("anchors", anchors, get_args(Anchors))
        self.temperature = temperature
        self.summation: Summation = summation
        self.denominator: Denominator = denominator
        self.max_positives = max_positives
        self.rescale: Rescale = rescale
        self.normalize = normalize
        self.reduction: Reduction = reduction
        self.anchors: Anchors = anchors
        self.gather_distributed = gather_distributed

    @eager
    def forward(
        self,
        projections: Tensor,
        labels: Tensor | None = None,
        pair_weights: Tensor | None = None,
        queue: "MemoryQueue | None" = None,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """The loss of projections [batch, view, dim] with labels [batch] or None, or [row, dim] with labels [row]."""
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
            pair_weights=pair_weights,
            queue=queue,
            generator=generator,
        )

    def extra_repr(self) -> str:
        options = {name: value for name, value in vars(self).items() if not name.startswith("_") and name != "training"}
        return ", ".join(f"{name}={value!r}" for name, value in options.items())
