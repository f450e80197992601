"""Puts the parts of a stage together from their configs and trains it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lightning import Callback, LightningModule
from torch import Tensor, nn
from torch.utils.data import DataLoader

from supcon.base.progress import say
from supcon.data import ImageData, PerImage, Split, positives_sentence, training_loader
from supcon.encoder import Encoder
from supcon.stages.assemble import Parts, Stage1, make_stage1
from supcon.stages.cached_representations import AS_THEY_ARE, cached_loader
from supcon.stages.callbacks.alarms import Collapse, WatchLoss
from supcon.stages.callbacks.diagnostics import Figures
from supcon.stages.callbacks.training_progress import EpochBar, Seconds
from supcon.stages.config import HardwareConfig, Stage1Config, Stage2Config
from supcon.stages.contrastive_loss import collapsed_loss
from supcon.stages.linear_stage import Classify
from supcon.stages.optimization.make_optimization import Rates, around_steps, optimization
from supcon.stages.trainer.compiled import compiled
from supcon.stages.trainer.ddp import on_gpu, trainer_options
from supcon.stages.trainer.fit import fit
from supcon.stages.trainer.loggers import make_loggers
from supcon.stages.trainer.randomness import SeedSteps, view_generator
from supcon.views import Arrangement, ViewsConfig, arrange_views

Represent = Callable[[Encoder, Split], Tensor]
"""`represent(encoder, split)` encodes every image of a split, in order."""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What every stage of a run has in common."""

    data: ImageData
    hardware: HardwareConfig
    seed: int
    write: Callable[[Path, str], None]
    """Puts text into a file in one piece."""
    fit: Callable[..., None] = fit
    """Trains a stage; `Rehearsal.fit` only tries it."""


def train_encoder(parts: Parts, around: Surroundings, folder: Path, told: Stage1) -> None:
    """Stage 1: trains `parts.encoder` by the method that `told` describes."""
    traits, stage = told.traits, told.stage
    # Images without a label have views to compare, but no class to learn.
    train = around.data.pretraining if traits.contrastive else around.data.train
    arrangement = _arrange(told.views, around)
    loader = _stage1_loader(train, around, arrangement, stage)
    figures, title = Figures(), str(traits.loss)
    deployed: list[nn.Module] = [parts.encoder, parts.classifier]
    if traits.contrastive:
        say(_collapse_sentence(told))
        figures = Figures(Collapse(stage.optimizer.warmup_epochs * (len(train) // stage.batch_size)))
        title = "stage 1, contrastive"
        deployed = deployed if traits.beside else [parts.encoder]
    if traits.contrastive and traits.labelled:
        say(positives_sentence((index for _, index in loader.sampler), train.labels, told.views.count))
    module = make_stage1(parts, arrangement, told, around.seed)
    steps = around_steps(stage.optimizer, deployed, told.probe, stage.knn_every)
    _fit(module, around, folder, loader, stage.epochs, [figures, *steps, EpochBar(title)])


def classify(
    encoder: Encoder,
    classifier: nn.Linear,
    around: Surroundings,
    folder: Path,
    *,
    stage: Stage2Config,
    represent: Represent,
) -> None:
    """Stage 2: trains `classifier` on views, on representations computed once, or together with `encoder`."""
    train = around.data.train
    finetune = stage.encoder_lr > 0
    rates: Rates = {encoder: replace(stage.optimizer, lr=stage.encoder_lr)} if finetune else {}
    network: nn.Module = encoder
    if stage.cached:
        network, arrangement = nn.Identity(), AS_THEY_ARE
        representations = represent(encoder, train)
        loader = cached_loader(representations, train.labels, stage.batch_size, around.seed, sampler=stage.sampler)
    else:
        arrangement = _arrange(stage.views, around)
        views = _loader_views(arrangement, around, "stage2")
        loader = training_loader(train, stage.batch_size, around.seed, views, sampler=stage.sampler)
    module = Classify(
        network,
        classifier,
        arrangement,
        optimization(stage.optimizer, stage.epochs, stage.batch_size, rates),
        finetune=finetune,
        label_smoothing=stage.label_smoothing,
        seed=around.seed,
    )
    watch = [
        Figures(),
        *around_steps(stage.optimizer, [encoder, classifier] if finetune else [classifier]),
        EpochBar("stage 2, fine-tuning" if finetune else "stage 2, linear"),
    ]
    _fit(module, around, folder, loader, stage.epochs, watch)


def _collapse_sentence(told: Stage1) -> str:
    loss, rows = told.loss, told.stage.batch_size * told.views.count
    collapsed = collapsed_loss(told.traits.loss, loss, told.stage.batch_size, told.views.count)
    has = f"{rows} rows and the queue {loss.queue_size:,}" if loss.queue_size else f"{rows} rows"
    return (
        f"A step has {has}. If all embeddings were equal the loss would be {collapsed:.3f} "
        f"({collapsed / loss.factor:.3f} before rescaling): a loss that stays there has collapsed."
    )


def _arrange(views: ViewsConfig, around: Surroundings) -> Arrangement:
    data = around.data
    stored = (data.stored_size, data.stored_size)
    device = "cuda" if on_gpu(around.hardware) else "cpu"
    return arrange_views(views, data.image_size, data.channels, stored, device)


@dataclass(frozen=True)
class _LoaderViews:
    """Views that a worker makes of one image: random through seed, stage, epoch and image alone."""

    make: Callable[..., Tensor]
    seed: int
    stage: str

    def __call__(self, image: Tensor, epoch: int, index: int) -> Tensor:
        return self.make(image, view_generator(self.seed, f"{self.stage}/{epoch}", index))


def _loader_views(views: Arrangement, around: Surroundings, stage: str) -> PerImage | None:
    return _LoaderViews(views.in_loader, around.seed, stage) if views.in_loader is not None else None


def _stage1_loader(split: Split, around: Surroundings, views: Arrangement, stage: Stage1Config) -> "DataLoader[Any]":
    return training_loader(
        split,
        stage.batch_size,
        around.seed,
        _loader_views(views, around, "stage1"),
        sampler=stage.sampler,
        images_per_class=stage.images_per_class,
    )


def _fit(
    module: LightningModule,
    around: Surroundings,
    folder: Path,
    loader: "DataLoader[Any]",
    epochs: int,
    callbacks: Sequence[Callback],
) -> None:
    with compiled(module.encoder, around.hardware.compile):  # type: ignore[arg-type]
        around.fit(
            module,
            loader,
            folder,
            epochs=epochs,
            write=around.write,
            callbacks=[Seconds(), SeedSteps(around.seed, type(module).__name__), WatchLoss(), *callbacks],
            loggers=make_loggers(around.hardware.logger, folder),
            machine=trainer_options(around.hardware),
        )
