"""Stage 1: two views of every image, encoder, projection, contrastive loss (section 3.1 of the paper)."""

from collections.abc import Callable, Sequence
from typing import Any

from lightning import LightningModule
from torch import Tensor, nn

from supcon.stages.randomness import view_generator
from supcon.views import make_views

Optimization = Callable[[Sequence[nn.Module], int], dict[str, Any]]
"""`optimization(modules, total_steps)` gives what Lightning's `configure_optimizers` returns."""


class Pretrain(LightningModule):
    """Trains `encoder` and `projection`; `labelled=False` leaves the labels out (Eq. 1)."""

    def __init__(
        self,
        encoder: nn.Module,
        projection: nn.Module,
        loss: nn.Module,
        augmentation: Any,
        optimization: Optimization,
        *,
        views: int = 2,
        labelled: bool = True,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.encoder, self.projection, self.loss = encoder, projection, loss
        self.augmentation, self.optimization = augmentation, optimization
        self.views, self.labelled, self.seed = views, labelled, seed

    def training_step(self, batch: Sequence[Tensor], batch_idx: int) -> Tensor:
        images, labels = batch
        generator = view_generator(self.seed, "stage1", self.global_step, self.global_rank)
        views = make_views(images, self.augmentation, count=self.views, generator=generator)
        projections = self.projection(self.encoder(views.flatten(0, 1))).unflatten(0, views.shape[:2])
        loss: Tensor = self.loss(projections, labels if self.labelled else None)
        self.log("train/loss", loss, on_step=False, on_epoch=True, batch_size=len(images))
        return loss

    def configure_optimizers(self) -> Any:
        return self.optimization([self.encoder, self.projection], int(self.trainer.estimated_stepping_batches))
