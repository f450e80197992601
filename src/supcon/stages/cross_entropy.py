"""The baselines: encoder and classifier trained together with cross-entropy or large-margin softmax."""

from collections.abc import Sequence
from typing import Any

import torch
from lightning import LightningModule
from torch import Tensor, nn

from supcon.stages.classifier_losses import ClassifierLoss, Softmax
from supcon.stages.gradient_cache import in_micro_batches
from supcon.stages.optimization.optimizer_and_schedule import Optimization
from supcon.stages.pretrain import Mix
from supcon.stages.trainer.randomness import batch_place, mixing_generator, view_generator
from supcon.views import ViewMaker, mixed_targets


class CrossEntropy(LightningModule):
    """Trains on all views of every image, the same views as in contrastive training, so that comparisons are fair.

    With `first_view_only` all views go through the encoder, but the loss uses only the first of each image (the
    authors' TensorFlow code: "in cross_entropy mode we should just stop generating the 2nd augmentation").
    """

    def __init__(
        self,
        encoder: nn.Module,
        classifier: nn.Linear,
        views: ViewMaker,
        optimization: Optimization,
        *,
        loss: ClassifierLoss | None = None,
        mix: Mix | None = None,
        micro_batch: int | None = None,
        first_view_only: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.encoder, self.classifier, self.loss = encoder, classifier, loss or Softmax()
        self.views, self.optimization, self.mix, self.seed = views, optimization, mix, seed
        self.micro_rows = None if micro_batch is None else micro_batch * views.count
        self.first_view_only, self.total_steps = first_view_only, 1

    def training_step(self, batch: Sequence[Tensor], batch_idx: int) -> Tensor:
        images, labels = batch
        # The same key as in `Pretrain`, so that equal seeds give equal views for both methods.
        generator = view_generator(self.seed, "stage1", self.global_step)
        views = self.views(images, generator, batch_place(self, images))
        rows, row_labels = views.flatten(0, 1), labels.repeat_interleave(views.shape[1], 0)
        targets = row_labels
        if self.mix is not None:
            mixed = self.mix(rows, generator=mixing_generator(self, generator, self.seed))
            rows, targets = mixed.images, mixed_targets(row_labels, mixed, self.classifier.out_features)
        representations = in_micro_batches(self.encoder, rows, self.micro_rows)
        if self.first_view_only:
            first = slice(None, None, views.shape[1])
            representations, targets, row_labels = representations[first], targets[first], row_labels[first]
        loss = self.loss(representations, self.classifier, targets, self.global_step / self.total_steps)
        metrics = {"train/loss": loss}
        if row_labels.ndim == 1:
            with torch.no_grad():
                metrics["train/top1"] = (self.classifier(representations).argmax(1) == row_labels).float().mean()
        self.log_dict(metrics, on_step=False, on_epoch=True, sync_dist=True, batch_size=len(images))
        return loss

    def configure_optimizers(self) -> Any:
        self.total_steps = int(self.trainer.estimated_stepping_batches)
        return self.optimization.configure([self.encoder, self.classifier], self.total_steps)
