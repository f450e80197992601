"""Builds the contrastive loss of a method, and its memory queue."""

import math
import warnings
from collections.abc import Callable

import torch
from torch import Tensor, nn

from supcon.losses import LossConfig, MemoryQueue, SupConLoss, n_pairs_loss, triplet_loss
from supcon.stages.methods import Loss
from supcon.stages.multi_label import label_pair_weights

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


def collapsed_loss(name: Loss, config: LossConfig, labels: Tensor, views: int) -> float:
    """The loss of a batch if all projections are equal and the queue is full, rescaled.

    `labels` are those of a batch, [image] with -1 for unlabelled, or [image, class]. With Eq. 1 to 3 and the paper's
    denominator, the loss is the log of the number of rows in A(i). A triplet has one positive and one negative, so its
    loss is log(2).
    """
    if name == "triplet":
        return config.factor * math.log(2)
    if name == "n-pairs":
        return config.factor * math.log(len(labels) * views - 1)
    several = labels.ndim == 2
    queue = make_queue(config.queue_size, 1)
    if queue is not None:
        past = torch.full((config.queue_size,), -1) if several else labels.repeat(-(-config.queue_size // len(labels)))
        queue.enqueue(torch.ones(config.queue_size, 1), past[: config.queue_size])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # training itself says if a batch has no positives
        loss = make_contrastive_loss(name, config)(
            torch.ones(len(labels), views, 1),
            None if several else labels,
            pair_weights=label_pair_weights(labels, views) if several else None,
            queue=queue,
            generator=torch.Generator().manual_seed(0),
        )
    return float(loss)
