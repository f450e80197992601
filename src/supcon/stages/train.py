"""Puts the parts of a stage together from their configs and trains it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lightning import Callback
from torch import nn

from supcon.data.image_data import ImageData
from supcon.data.loader import training_loader
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
from supcon.stages.pretrain import Optimization, Pretrain
from supcon.stages.watch import EpochBar, Probe, ProbeEncoder, Seconds, WatchLoss, collapsed_loss
from supcon.views import ViewsConfig, make_augmentation


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
    stage: Stage1Config,
    probe: Probe,
) -> None:
    """Stage 1: trains `encoder` contrastively; `projection` has done its work afterwards."""
    contrastive = SupConLoss(
        loss.temperature, denominator=loss.denominator, max_positives=loss.max_positives, rescale=loss.rescale
    )
    collapsed = collapsed_loss(contrastive, stage.batch_size, views.count)
    rows = stage.batch_size * views.count
    say(
        f"A step has {rows} rows. If all embeddings were equal the loss would be {collapsed:.3f} "
        f"(log({rows - 1}) = {math.log(rows - 1):.3f} before rescaling): a loss that stays there has collapsed."
    )
    module = Pretrain(
        encoder,
        projection,
        contrastive,
        _augmentation(views, around.data),
        _optimization(stage.optimizer, stage.epochs),
        views=views.count,
        labelled=labelled,
        seed=around.seed,
    )
    watch = [WatchLoss(collapsed, say), ProbeEncoder(probe, stage.knn_every), EpochBar("stage 1, contrastive")]
    _fit(module, around, folder, stage.epochs, stage.batch_size, watch)


def classify(
    encoder: Encoder, classifier: nn.Linear, around: Surroundings, folder: Path, *, stage: Stage2Config
) -> None:
    """Stage 2: trains `classifier` on the frozen `encoder`."""
    augmentation = _augmentation(stage.views, around.data)
    optimization = _optimization(stage.optimizer, stage.epochs)
    module = Classify(encoder, classifier, augmentation, optimization, seed=around.seed)
    _fit(module, around, folder, stage.epochs, stage.batch_size, [WatchLoss(None, say), EpochBar("stage 2, linear")])


def cross_entropy(
    encoder: Encoder,
    classifier: nn.Linear,
    around: Surroundings,
    folder: Path,
    *,
    views: ViewsConfig,
    stage: Stage1Config,
    probe: Probe,
) -> None:
    """The baseline: trains `encoder` and `classifier` together."""
    augmentation = _augmentation(views, around.data)
    optimization = _optimization(stage.optimizer, stage.epochs)
    module = CrossEntropy(encoder, classifier, augmentation, optimization, views=views.count, seed=around.seed)
    watch = [WatchLoss(None, say), ProbeEncoder(probe, stage.knn_every), EpochBar("cross-entropy")]
    _fit(module, around, folder, stage.epochs, stage.batch_size, watch)


def _augmentation(views: ViewsConfig, data: ImageData) -> Any:
    return make_augmentation(views, data.image_size, data.channels)


def _optimization(config: OptimizerConfig, epochs: int) -> Optimization:
    def configure(modules: Sequence[nn.Module], total_steps: int) -> dict[str, Any]:
        optimizer = make_optimizer(modules, config.name, config.lr, config.momentum, config.weight_decay)
        schedule = make_schedule(optimizer, config.warmup_epochs * total_steps / epochs, total_steps)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}

    return configure


def _fit(
    module: Any, around: Surroundings, folder: Path, epochs: int, batch_size: int, callbacks: Sequence[Callback]
) -> None:
    loader = training_loader(around.data.train, batch_size, around.seed)
    fit(
        module,
        loader,
        folder,
        epochs=epochs,
        write=around.write,
        callbacks=[*callbacks, Seconds()],
        device=around.hardware.device,
        precision=around.hardware.precision,
    )
