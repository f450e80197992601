"""Data, hardware and seed of a run, which both stages share, and the function that trains a stage."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lightning import Callback, LightningModule
from torch import Tensor
from torch.utils.data import DataLoader

from supcon.data import ImageData, ImageTransform, Split, training_loader
from supcon.stages.callbacks.alarms import WatchLoss
from supcon.stages.callbacks.training_progress import Seconds
from supcon.stages.config import HardwareConfig
from supcon.stages.trainer.compiled import compiled
from supcon.stages.trainer.ddp import on_gpu, trainer_options
from supcon.stages.trainer.fit import fit
from supcon.stages.trainer.loggers import make_loggers
from supcon.stages.trainer.randomness import SeedSteps, view_generator
from supcon.views import ViewMaker, ViewsConfig, make_view_maker


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """Data, hardware and seed of a run, shared by both stages."""

    data: ImageData
    hardware: HardwareConfig
    seed: int
    fit: Callable[..., None] = fit
    """Trains a stage; `DryRun.fit` only times two steps."""
    watchers: Callable[[Path], Sequence[Callback]] = lambda folder: ()
    """Read-only callbacks of a stage, by its folder."""

    def view_maker(self, views: ViewsConfig) -> ViewMaker:
        """Makes views of this run's images, on its device or in the loader's workers."""
        device = "cuda" if on_gpu(self.hardware) else "cpu"
        return make_view_maker(views, self.data.image_size, self.data.channels, self.data.train.shape, device)

    def loader(
        self, split: Split, batch_size: int, view_maker: ViewMaker, stage: str, **sampling: Any
    ) -> "DataLoader[Any]":
        """Shuffled batches of a split; `sampling` holds the sampler options of `training_loader`."""
        transform: ImageTransform | None = None
        if view_maker.in_loader is not None:
            transform = WorkerTransform(view_maker.in_loader, self.seed, stage)
        return training_loader(
            split,
            batch_size,
            self.seed,
            transform,
            local_processes=self.hardware.devices,
            pin_memory=on_gpu(self.hardware),
            **sampling,
        )

    def run(
        self,
        module: LightningModule,
        loader: "DataLoader[Any]",
        folder: Path,
        *,
        epochs: int,
        clip_norm: float | None,
        callbacks: Sequence[Callback],
    ) -> None:
        """Trains one stage with `callbacks` and those that every stage has."""
        with compiled(module.encoder, self.hardware.compile):  # type: ignore[arg-type]
            self.fit(
                module,
                loader,
                folder,
                epochs=epochs,
                clip_norm=clip_norm,
                callbacks=[Seconds(), SeedSteps(self.seed, type(module).__name__), WatchLoss(), *callbacks],
                watchers=self.watchers(folder),
                loggers=make_loggers(self.hardware.logger, folder),
                machine=trainer_options(self.hardware),
            )


@dataclass(frozen=True)
class WorkerTransform:
    """Makes the views of one image in a loader worker; they depend only on seed, stage, epoch, image and
    how often the image was drawn before in this epoch."""

    make_views: Callable[..., Tensor]
    seed: int
    stage: str

    def __call__(self, image: Tensor, epoch: int, index: int, repeat: int = 0) -> Tensor:
        key = f"{self.stage}/{epoch}/{repeat}" if repeat else f"{self.stage}/{epoch}"
        return self.make_views(image, view_generator(self.seed, key, index))
