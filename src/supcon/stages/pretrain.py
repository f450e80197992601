"""Stage 1: several views of every image, encoder, projection, contrastive loss (section 3.1 of the paper)."""

from collections.abc import Callable, Sequence
from typing import Any

from lightning import LightningModule
from torch import Tensor, nn

from supcon.stages.randomness import view_generator
from supcon.views import Arrangement, Mixed, mixed_pair_weights

Optimization = Callable[[Sequence[nn.Module], int], dict[str, Any]]
"""`optimization(modules, total_steps)` gives what Lightning's `configure_optimizers` returns."""

Mix = Callable[..., Mixed]
"""`mix(rows, generator=g)` blends every row with another one."""


class Pretrain(LightningModule):
    """Trains `encoder` and `projection`; `labelled=False` leaves the labels out (Eq. 1).

    With `mix` the rows are mixed and their pairs become soft positives, which is ours, not the paper's.
    """

    def __init__(
        self,
        encoder: nn.Module,
        projection: nn.Module,
        loss: nn.Module,
        views: Arrangement,
        optimization: Optimization,
        *,
        mix: Mix | None = None,
        labelled: bool = True,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.encoder, self.projection, self.loss = encoder, projection, loss
        self.views, self.optimization, self.mix = views, optimization, mix
        self.labelled, self.seed = labelled, seed

    def training_step(self, batch: Sequence[Tensor], batch_idx: int) -> Tensor:
        images, labels = batch
        generator = view_generator(self.seed, "stage1", self.global_step, self.global_rank)
        views = self.views(images, generator)
        targets, pair_weights = labels if self.labelled else None, None
        rows = views.flatten(0, 1)
        if self.mix is not None:
            mixed = self.mix(rows, generator=generator)
            rows, pair_weights = mixed.images, mixed_pair_weights(targets, mixed, views.shape[1])
            targets = None
        projections = self.projection(self.encoder(rows)).unflatten(0, views.shape[:2])
        loss: Tensor = self.loss(projections, targets, pair_weights=pair_weights, generator=generator)
        self.log("train/loss", loss, on_step=False, on_epoch=True, batch_size=len(images))
        return loss

    def configure_optimizers(self) -> Any:
        return self.optimization([self.encoder, self.projection], int(self.trainer.estimated_stepping_batches))
