"""The baseline: encoder and classifier trained together with cross-entropy."""

from collections.abc import Sequence
from typing import Any

import torch.nn.functional as F
from lightning import LightningModule
from torch import Tensor, nn

from supcon.stages.pretrain import Optimization
from supcon.stages.randomness import view_generator
from supcon.views import make_views


class CrossEntropy(LightningModule):
    """Sees the same views as stage 1, all `views` of every image, so that the two methods see the same pixels."""

    def __init__(
        self,
        encoder: nn.Module,
        classifier: nn.Module,
        augmentation: Any,
        optimization: Optimization,
        *,
        views: int = 2,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.encoder, self.classifier = encoder, classifier
        self.augmentation, self.optimization = augmentation, optimization
        self.views, self.seed = views, seed

    def training_step(self, batch: Sequence[Tensor], batch_idx: int) -> Tensor:
        images, labels = batch
        # The stage's name is stage 1's, so that equal seeds give equal views to both methods.
        generator = view_generator(self.seed, "stage1", self.global_step, self.global_rank)
        views = make_views(images, self.augmentation, count=self.views, generator=generator)
        targets = labels.repeat_interleave(self.views)
        logits = self.classifier(self.encoder(views.flatten(0, 1)))
        loss = F.cross_entropy(logits, targets)
        accuracy = (logits.argmax(1) == targets).float().mean()
        self.log_dict(
            {"train/loss": loss, "train/top1": accuracy}, on_step=False, on_epoch=True, batch_size=len(images)
        )
        return loss

    def configure_optimizers(self) -> Any:
        return self.optimization([self.encoder, self.classifier], int(self.trainer.estimated_stepping_batches))
