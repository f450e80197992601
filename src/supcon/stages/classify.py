"""Stage 2: a linear classifier on the frozen representation."""

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from lightning import LightningModule
from torch import Tensor, nn

from supcon.stages.pretrain import Optimization
from supcon.stages.randomness import view_generator
from supcon.views import Arrangement


def make_classifier(width: int, classes: int) -> nn.Linear:
    """A linear layer with Glorot's initial weights and no bias to start with, as the authors have it."""
    classifier = nn.Linear(width, classes)
    nn.init.xavier_uniform_(classifier.weight)
    nn.init.zeros_(classifier.bias)
    return classifier


class Classify(LightningModule):
    """Trains `classifier` with cross-entropy; the encoder neither learns nor updates its batch-norm averages."""

    def __init__(
        self,
        encoder: nn.Module,
        classifier: nn.Module,
        views: Arrangement,
        optimization: Optimization,
        *,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.encoder, self.classifier = encoder.requires_grad_(False), classifier
        self.views, self.optimization, self.seed = views, optimization, seed

    def on_train_epoch_start(self) -> None:
        self.encoder.eval()

    def training_step(self, batch: Sequence[Tensor], batch_idx: int) -> Tensor:
        images, labels = batch
        generator = view_generator(self.seed, "stage2", self.global_step, self.global_rank)
        with torch.no_grad():
            views = self.views(images, generator)
            representations = self.encoder(views.flatten(0, 1))
        logits = self.classifier(representations)
        targets = labels.repeat_interleave(views.shape[1])
        loss = F.cross_entropy(logits, targets)
        figures = {"train/loss": loss, "train/top1": (logits.argmax(1) == targets).float().mean()}
        self.log_dict(figures, on_step=False, on_epoch=True, batch_size=len(images))
        return loss

    def configure_optimizers(self) -> Any:
        return self.optimization([self.classifier], int(self.trainer.estimated_stepping_batches))
