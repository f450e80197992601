"""Builds the contrastive loss of a method, and its memory queue."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from supcon.losses import MemoryQueue, SupConLoss, n_pairs_loss, triplet_loss
from supcon.losses.config import LossConfig
from supcon.stages.methods import Loss

ContrastiveLoss = Callable[..., Tensor]
"""`contrast(projections, labels, pair_weights=…, queue=…, generator=…)` gives the loss of a multiviewed batch."""


class DrawnPairs(nn.Module):
    """N-pairs or triplet loss with the signature of `SupConLoss`; neither supports soft positives or a queue."""

    def __init__(self, name: Loss, config: LossConfig, *, gather_distributed: bool) -> None:
        super().__init__()
        self.function = n_pairs_loss if name == "n-pairs" else triplet_loss
        self.temperature, self.gather_distributed = config.temperature, gather_distributed
        self.factor = config.factor

    def forward(
        self,
        projections: Tensor,
        labels: Tensor | None = None,
        pair_weights: Tensor | None = None,
        queue: MemoryQueue | None = None,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        if labels is None or pair_weights is not None or queue is not None:
            raise ValueError("a loss that draws its pairs needs labels and takes neither pair_weights nor a queue.")
        loss = self.function(
            projections,
            labels,
            temperature=self.temperature,
            gather_distributed=self.gather_distributed,
            generator=generator,
        )
        return self.factor * loss


def make_contrastive_loss(name: Loss, config: LossConfig, *, gather_distributed: bool = False) -> ContrastiveLoss:
    """The loss called `name`; with `gather_distributed` over the rows of all processes."""
    if name in ("n-pairs", "triplet"):
        return DrawnPairs(name, config, gather_distributed=gather_distributed)
    return SupConLoss(
        config.temperature,
        summation="in" if name == "supcon-in" else "out",
        denominator=config.denominator,
        max_positives=config.max_positives,
        anchors=config.anchors,
        rescale=config.rescale,
        gather_distributed=gather_distributed,
    )


def make_queue(size: int, dim: int, *, gather_distributed: bool = False) -> MemoryQueue | None:
    """An empty queue; None if `size` is 0."""
    return MemoryQueue(size, dim, gather_distributed=gather_distributed) if size else None


def collapsed_loss(name: Loss, config: LossConfig, batch_size: int, views: int) -> float:
    """The loss if all projections are equal and the queue is full: log of the number of rows in A(i), rescaled.

    A triplet has one positive and one negative, so its loss is log(2).
    """
    if name == "triplet":
        return config.factor * math.log(2)
    if name == "n-pairs":
        return config.factor * math.log(batch_size * views - 1)
    projections = torch.ones(batch_size, views, 1)
    # With one view positives exist only by labels; the value is the same if all images share a class.
    labels = torch.zeros(batch_size, dtype=torch.int64) if views == 1 else None
    queue = make_queue(config.queue_size, 1)
    if queue is not None:
        queue.enqueue(torch.ones(config.queue_size, 1))
    return float(make_contrastive_loss(name, config)(projections, labels, queue=queue))
