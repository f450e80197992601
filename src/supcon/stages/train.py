"""Puts the parts of a stage together from their configs and trains it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from lightning import Callback, LightningModule
from torch import Tensor, nn
from torch.utils.data import DataLoader

from supcon.data.image_data import ImageData, Split
from supcon.data.loader import PerImage, training_loader
from supcon.data.positives import positives_sentence
from supcon.encoder.encoder import Encoder
from supcon.losses import SupConLoss
from supcon.losses.config import LossConfig
from supcon.progress import say
from supcon.projection.projection import Projection
from supcon.stages.classify import Classify
from supcon.stages.config import HardwareConfig, OptimizerConfig, Stage1Config, Stage2Config
from supcon.stages.cross_entropy import CrossEntropy
from supcon.stages.fit import fit
from supcon.stages.optimizers import make_optimizer, make_schedule
from supcon.stages.pretrain import Mix, Optimization, Pretrain
from supcon.stages.randomness import view_generator
from supcon.stages.watch import EpochBar, Probe, ProbeEncoder, Seconds, WatchLoss, collapsed_loss
from supcon.views import Arrangement, MixConfig, ViewsConfig, arrange_views, cutmix, mixup


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What every stage of a run has in common."""

    data: ImageData
    hardware: HardwareConfig
    seed: int
    write: Callable[[Path, str], None]
    """Puts text into a file in one piece."""


def pretrain(
    encoder: Encoder,
    projection: Projection,
    around: Surroundings,
    folder: Path,
    *,
    labelled: bool,
    loss: LossConfig,
    views: ViewsConfig,
    mix: MixConfig,
    stage: Stage1Config,
    probe: Probe,
) -> None:
    """Stage 1: trains `encoder` contrastively; `projection` has done its work afterwards."""
    contrastive = SupConLoss(
        loss.temperature, denominator=loss.denominator, max_positives=loss.max_positives, rescale=loss.rescale
    )
    collapsed = collapsed_loss(contrastive, stage.batch_size, views.count)
    say(_collapse_sentence(stage.batch_size * views.count, collapsed))
    arrangement = _arrange(views, around)
    module = Pretrain(
        encoder,
        projection,
        contrastive,
        arrangement,
        _optimization(stage.optimizer, stage.epochs),
        mix=_mix(mix),
        labelled=labelled,
        seed=around.seed,
    )
    # While the learning rate warms up, the loss may well stay where it starts.
    patience = math.ceil(stage.optimizer.warmup_epochs) + 3
    watch = [
        WatchLoss(collapsed, say, patience),
        ProbeEncoder(probe, stage.knn_every),
        EpochBar("stage 1, contrastive"),
    ]
    loader = partial(_stage1_loader, around.data.pretraining, around, stage)
    if labelled:
        batches = (index for _, index in loader().sampler)
        say(positives_sentence(batches, around.data.pretraining.labels, views.count))
    _fit(module, around, folder, "stage1", arrangement, stage.epochs, loader, watch)


def classify(
    encoder: Encoder, classifier: nn.Linear, around: Surroundings, folder: Path, *, stage: Stage2Config
) -> None:
    """Stage 2: trains `classifier` on the frozen `encoder`."""
    arrangement = _arrange(stage.views, around)
    module = Classify(encoder, classifier, arrangement, _optimization(stage.optimizer, stage.epochs), seed=around.seed)
    watch = [WatchLoss(None, say), EpochBar("stage 2, linear")]
    loader = partial(training_loader, around.data.train, stage.batch_size, around.seed, sampler=stage.sampler)
    _fit(module, around, folder, "stage2", arrangement, stage.epochs, loader, watch)


def cross_entropy(
    encoder: Encoder,
    classifier: nn.Linear,
    around: Surroundings,
    folder: Path,
    *,
    views: ViewsConfig,
    mix: MixConfig,
    stage: Stage1Config,
    probe: Probe,
) -> None:
    """The baseline: trains `encoder` and `classifier` together."""
    arrangement = _arrange(views, around)
    optimization = _optimization(stage.optimizer, stage.epochs)
    module = CrossEntropy(encoder, classifier, arrangement, optimization, mix=_mix(mix), seed=around.seed)
    watch = [WatchLoss(None, say), ProbeEncoder(probe, stage.knn_every), EpochBar("cross-entropy")]
    loader = partial(_stage1_loader, around.data.train, around, stage)
    _fit(module, around, folder, "stage1", arrangement, stage.epochs, loader, watch)


def _collapse_sentence(rows: int, collapsed: float) -> str:
    return (
        f"A step has {rows} rows. If all embeddings were equal the loss would be {collapsed:.3f} "
        f"(log({rows - 1}) = {math.log(rows - 1):.3f} before rescaling): a loss that stays there has collapsed."
    )


def _arrange(views: ViewsConfig, around: Surroundings) -> Arrangement:
    data = around.data
    on_gpu = around.hardware.device != "cpu" and torch.cuda.is_available()
    stored = (data.stored_size, data.stored_size)
    return arrange_views(views, data.image_size, data.channels, stored, "cuda" if on_gpu else "cpu")


def _mix(config: MixConfig) -> Mix | None:
    methods = {"mixup": mixup, "cutmix": cutmix}
    if config.method == "none":
        return None
    return partial(methods[config.method], alpha=config.alpha, probability=config.probability)


def _optimization(config: OptimizerConfig, epochs: int) -> Optimization:
    def configure(modules: Sequence[nn.Module], total_steps: int) -> dict[str, Any]:
        optimizer = make_optimizer(modules, config.name, config.lr, config.momentum, config.weight_decay)
        warmup = min(config.warmup_epochs / epochs, 0.5)
        schedule = make_schedule(optimizer, warmup * total_steps, total_steps)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    return configure


@dataclass(frozen=True)
class _LoaderViews:
    """Views that a worker makes of one image: random through seed, stage, epoch and image alone."""

    make: Callable[..., Tensor]
    seed: int
    stage: str

    def __call__(self, image: Tensor, epoch: int, index: int) -> Tensor:
        return self.make(image, view_generator(self.seed, f"{self.stage}/{epoch}", index, 0))


def _stage1_loader(
    split: Split, around: Surroundings, stage: Stage1Config, per_image: PerImage | None = None
) -> "DataLoader[Any]":
    return training_loader(
        split,
        stage.batch_size,
        around.seed,
        per_image,
        sampler=stage.sampler,
        images_per_class=stage.images_per_class,
    )


def _fit(
    module: LightningModule,
    around: Surroundings,
    folder: Path,
    stage: str,
    views: Arrangement,
    epochs: int,
    loader: Callable[[PerImage | None], "DataLoader[Any]"],
    callbacks: Sequence[Callback],
) -> None:
    per_image = _LoaderViews(views.in_loader, around.seed, stage) if views.in_loader is not None else None
    fit(
        module,
        loader(per_image),
        folder,
        epochs=epochs,
        write=around.write,
        callbacks=[*callbacks, Seconds()],
        device=around.hardware.device,
        precision=around.hardware.precision,
    )
