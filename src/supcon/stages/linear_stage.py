"""Stage 2: a linear classifier on the representation."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import torch
import torch.nn.functional as F
from lightning import LightningModule
from torch import Tensor, nn

from supcon.stages.config import BatchNormMode
from supcon.stages.gradient_cache import batch_norms, frozen_averages
from supcon.stages.multi_label import binary_cross_entropy
from supcon.stages.optimization.optimizer_and_schedule import Optimization
from supcon.stages.trainer.randomness import batch_place, view_generator
from supcon.views import ViewMaker


def make_classifier(width: int, classes: int) -> nn.Linear:
    """A linear layer with Glorot-uniform weights and zero bias, as in the authors' code."""
    classifier = nn.Linear(width, classes)
    nn.init.xavier_uniform_(classifier.weight)
    nn.init.zeros_(classifier.bias)
    return classifier


class Classify(LightningModule):
    """Trains `classifier` with cross-entropy.

    The encoder is trained, and its batch-norm averages updated, only with `finetune`. A frozen encoder's batch norms
    normalize by their running averages or, with `batch_norm="batch"`, by the batch's statistics, as in the authors'
    TensorFlow code.
    """

    def __init__(
        self,
        encoder: nn.Module,
        classifier: nn.Module,
        views: ViewMaker,
        optimization: Optimization,
        *,
        finetune: bool = False,
        batch_norm: BatchNormMode = "averages",
        label_smoothing: float = 0.0,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.encoder, self.classifier = encoder.requires_grad_(finetune), classifier
        self.views, self.optimization, self.seed = views, optimization, seed
        self.finetune, self.label_smoothing = finetune, label_smoothing
        self.batch_statistics = batch_norm == "batch" and not finetune

    def on_train_epoch_start(self) -> None:
        self.encoder.train(self.finetune)
        if self.batch_statistics:
            for norm in batch_norms(self.encoder):
                norm.training = True  # not train(): those of timm can contain dropout

    def training_step(self, batch: Sequence[Tensor], batch_idx: int) -> Tensor:
        images, labels = batch
        generator = view_generator(self.seed, "stage2", self.global_step)
        views = self.views(images, generator, batch_place(self, images))
        averages = frozen_averages(self.encoder) if self.batch_statistics else nullcontext()
        with torch.set_grad_enabled(self.finetune), averages:
            representations = self.encoder(views.flatten(0, 1))
        logits = self.classifier(representations)
        targets = labels.repeat_interleave(views.shape[1], 0)
        loss, metrics = self._loss(logits, targets)
        self.log_dict(metrics, on_step=False, on_epoch=True, sync_dist=True, batch_size=len(images))
        return loss

    def _loss(self, logits: Tensor, targets: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """The loss (cross-entropy, or binary cross-entropy for several labels per image) and the metrics to log."""
        if targets.ndim == 2:
            loss = binary_cross_entropy(logits, targets, self.label_smoothing)
            return loss, {"train/loss": loss}
        loss = F.cross_entropy(logits, targets, label_smoothing=self.label_smoothing)
        return loss, {"train/loss": loss, "train/top1": (logits.argmax(1) == targets).float().mean()}

    def configure_optimizers(self) -> Any:
        trained = [self.encoder, self.classifier] if self.finetune else [self.classifier]
        return self.optimization.configure(trained, int(self.trainer.estimated_stepping_batches))
