"""Stage 1: several views of every image, encoder, projection, contrastive loss (section 3.1 of the paper)."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from lightning import LightningModule
from torch import Tensor, nn

from supcon.losses import MemoryQueue
from supcon.stages.contrastive_loss import ContrastiveLoss
from supcon.stages.gradient_cache import in_micro_batches
from supcon.stages.joint_classifier import JointClassifier
from supcon.stages.momentum_encoder import MomentumEncoder
from supcon.stages.multi_label import label_pair_weights
from supcon.stages.optimization.optimizer_and_schedule import Optimization
from supcon.stages.trainer.collectives import gathered_pair_weights
from supcon.stages.trainer.randomness import batch_place, mixing_generator, view_generator
from supcon.views import Mixed, ViewMaker

Mix = Callable[..., Mixed]
"""`mix(rows, generator=g)` mixes every row with another one."""


class MultiviewedBatch(NamedTuple):
    """The input of one step: all views of a batch with their labels."""

    rows: Tensor
    """[row, channel, height, width]: all views, those of an image in consecutive rows."""
    views: int
    labels: Tensor
    """[batch], or [batch, class] with several labels per image"""
    pair_weights: Tensor | None
    """[row, row of all processes]: weights of soft positives, if rows were mixed or have several labels."""


class Embedding(NamedTuple):
    """The outputs of the networks for all rows."""

    projections: Tensor
    """[row, D_P]"""
    representations: Tensor
    """[row, D_E]"""


class Pretrain(LightningModule):
    """Trains `encoder` and `projection`: views -> embedding -> loss, each a method that a subclass can override.

    `labelled=False` ignores the labels (Eq. 1). With `mix` the rows are mixed and their pairs become soft positives
    (our extension, not in the paper). With a `queue`, a momentum encoder's projections of past batches are additional
    positives and negatives. With a `joint_classifier`, a linear classifier learns from the same representations. With a
    `micro_batch`, that many images go through the encoder at once (gradient caching); the loss is still that of the
    whole batch.
    """

    def __init__(
        self,
        encoder: nn.Module,
        projection: nn.Module,
        loss: ContrastiveLoss,
        views: ViewMaker,
        optimization: Optimization,
        *,
        mix: Mix | None = None,
        labelled: bool = True,
        queue: MemoryQueue | None = None,
        queue_momentum: float = 0.999,
        joint_classifier: JointClassifier | None = None,
        micro_batch: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.encoder, self.projection, self.loss = encoder, projection, loss
        self.seen: tuple[Tensor, Tensor | None] | None = None  # projections and labels of the last step
        self.views, self.optimization, self.mix = views, optimization, mix
        self.labelled, self.joint_classifier, self.seed = labelled, joint_classifier, seed
        self.micro_rows = None if micro_batch is None else micro_batch * views.count
        self.queue = queue
        self.momentum_encoder = None if queue is None else MomentumEncoder(encoder, projection, queue_momentum)

    def training_step(self, batch: Sequence[Tensor], batch_idx: int) -> Tensor:
        multiviewed = self.make_views(batch)
        embedding = self.embed(multiviewed.rows)
        loss = self.compare(embedding, multiviewed)
        self.remember(multiviewed)
        return loss

    def make_views(self, batch: Sequence[Tensor]) -> MultiviewedBatch:
        """The views of every image, mixed if `mix` is set."""
        images, labels = batch
        generator = view_generator(self.seed, "stage1", self.global_step)
        views = self.views(images, generator, batch_place(self, images))
        rows, count, pair_weights = views.flatten(0, 1), views.shape[1], None
        if self.mix is not None:
            mixed = self.mix(rows, generator=mixing_generator(self, generator, self.seed))
            rows = mixed.images
            pair_weights = gathered_pair_weights(labels if self.labelled else None, mixed, count)
        elif self.labelled and labels.ndim == 2:
            pair_weights = label_pair_weights(labels, count)
        return MultiviewedBatch(rows, count, labels, pair_weights)

    def embed(self, rows: Tensor) -> Embedding:
        """Runs encoder and projection."""
        representations = in_micro_batches(self.encoder, rows, self.micro_rows)
        return Embedding(self.projection(representations), representations)

    def compare(self, embedding: Embedding, batch: MultiviewedBatch) -> Tensor:
        """Computes the loss of a whole multiviewed batch, and logs it."""
        contrast = self.contrast(embedding.projections, batch)
        labels = batch.labels if self.labelled and batch.labels.ndim == 1 else None
        self.seen = embedding.projections.detach().unflatten(0, (-1, batch.views)), labels
        metrics, loss = {"train/loss": contrast.detach()}, contrast
        if self.joint_classifier is not None:
            row_labels = batch.labels.repeat_interleave(batch.views)
            cross_entropy, top1 = self.joint_classifier(embedding.representations, row_labels)
            metrics |= {"train/classifier_loss": cross_entropy.detach(), "train/top1": top1}
            loss = contrast + cross_entropy
        self.log_dict(metrics, on_step=False, on_epoch=True, sync_dist=True, batch_size=len(batch.labels))
        return loss

    def contrast(self, projections: Tensor, batch: MultiviewedBatch) -> Tensor:
        """The contrastive loss of projections [row, dim]."""
        return self.loss(
            projections.unflatten(0, (-1, batch.views)),
            batch.labels if self.labelled and batch.pair_weights is None else None,
            pair_weights=batch.pair_weights,
            queue=self.queue,
            # The same on every process, because a loss draws from the rows of all processes.
            generator=view_generator(self.seed, "stage1/loss", self.global_step),
        )

    def remember(self, batch: MultiviewedBatch) -> None:
        """Puts the momentum encoder's projections of this batch into the queue, for later batches."""
        if self.queue is None or self.momentum_encoder is None:
            return
        self.momentum_encoder.follow(self.encoder, self.projection)
        with torch.no_grad():
            keys = in_micro_batches(self.momentum_encoder, batch.rows, self.micro_rows)
        keys = keys.unflatten(0, (-1, batch.views))
        self.queue.enqueue(keys, batch.labels if self.labelled else None)

    def configure_optimizers(self) -> Any:
        trained = [self.encoder, self.projection, *([] if self.joint_classifier is None else [self.joint_classifier])]
        return self.optimization.configure(trained, int(self.trainer.estimated_stepping_batches))
