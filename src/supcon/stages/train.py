"""Puts the parts of a stage together from their configs and trains it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from lightning import Callback, LightningModule
from torch import Tensor, nn
from torch.utils.data import DataLoader

from supcon.data.image_data import ImageData, Split
from supcon.data.loader import PerImage, training_loader
from supcon.data.positives import positives_sentence
from supcon.encoder.encoder import Encoder
from supcon.losses.config import LossConfig
from supcon.progress import say
from supcon.projection.projection import Projection
from supcon.stages.alarms import Collapse, WatchLoss
from supcon.stages.cached import AS_THEY_ARE, cached_loader
from supcon.stages.class_losses import ClassifierLoss, LargeMargin, Softmax
from supcon.stages.classify import Classify
from supcon.stages.compiled import compiled
from supcon.stages.config import HardwareConfig, Stage1Config, Stage2Config
from supcon.stages.contrast import collapsed_loss, make_contrast, make_queue
from supcon.stages.cross_entropy import CrossEntropy
from supcon.stages.figures import Figures
from supcon.stages.fit import fit
from supcon.stages.joint import Beside
from supcon.stages.loggers import make_loggers
from supcon.stages.methods import Traits
from supcon.stages.optimization import Rates, around_steps, optimization
from supcon.stages.pretrain import Mix, Pretrain
from supcon.stages.randomness import SeedSteps, view_generator
from supcon.stages.together import on_gpu, trainer_options
from supcon.stages.watch import EpochBar, Probe, Seconds
from supcon.views import Arrangement, MixConfig, ViewsConfig, arrange_views, cutmix, mixup

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


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The networks of a run, with the weights that its seed drew."""

    encoder: Encoder
    projection: Projection
    classifier: nn.Linear


@dataclass(frozen=True, kw_only=True)
class Stage1:
    """All that stage 1 is told, whatever the method."""

    traits: Traits
    loss: LossConfig
    views: ViewsConfig
    mix: MixConfig
    stage: Stage1Config
    classifier: Stage2Config
    """How a classifier that is trained beside the contrastive loss learns: the rates of stage 2, which it saves."""
    probe: Probe


def train_encoder(parts: Parts, around: Surroundings, folder: Path, told: Stage1) -> None:
    """Stage 1 by its method: contrastively, or together with a classifier."""
    (_pretrain if told.traits.contrastive else _cross_entropy)(parts, around, folder, told)


def _pretrain(parts: Parts, around: Surroundings, folder: Path, told: Stage1) -> None:
    traits, stage, loss = told.traits, told.stage, told.loss
    collapsed = collapsed_loss(traits.loss, loss, stage.batch_size, told.views.count)
    say(_collapse_sentence(stage.batch_size * told.views.count, loss.queue_size, collapsed, loss.factor))
    arrangement = _arrange(told.views, around)
    beside = _beside(parts.classifier, told) if traits.beside else None
    rates: Rates = {parts.classifier: told.classifier.optimizer} if traits.beside else {}
    module = Pretrain(
        parts.encoder,
        parts.projection,
        make_contrast(traits.loss, loss, gather_distributed=True),
        arrangement,
        optimization(stage.optimizer, stage.epochs, stage.batch_size, rates),
        mix=_mix(told.mix),
        labelled=traits.labelled,
        queue=make_queue(loss.queue_size, parts.projection.width, gather_distributed=True),
        queue_momentum=loss.queue_momentum,
        beside=beside,
        micro_batch=stage.micro_batch,
        seed=around.seed,
    )
    warmup_steps = stage.optimizer.warmup_epochs * (len(around.data.train) // stage.batch_size)
    deployed = [parts.encoder, parts.classifier] if traits.beside else [parts.encoder]
    watch = [
        Figures(Collapse(warmup_steps)),
        *around_steps(stage.optimizer, deployed, told.probe, stage.knn_every),
        EpochBar("stage 1, contrastive"),
    ]
    loader = _stage1_loader(around.data.pretraining, around, arrangement, stage)
    if traits.labelled:
        batches = (index for _, index in loader.sampler)
        say(positives_sentence(batches, around.data.pretraining.labels, told.views.count))
    _fit(module, around, folder, loader, stage.epochs, watch)


def _beside(classifier: nn.Linear, told: Stage1) -> Beside:
    return Beside(
        classifier,
        encoder_weight=told.stage.cross_entropy_weight,
        label_smoothing=told.classifier.label_smoothing,
    )


def _cross_entropy(parts: Parts, around: Surroundings, folder: Path, told: Stage1) -> None:
    stage = told.stage
    loss: ClassifierLoss = Softmax(stage.label_smoothing)
    if told.traits.loss == "large-margin":
        loss = LargeMargin(stage.margin, stage.label_smoothing)
        parts.classifier.bias.requires_grad_(False)  # the margin is between angles, and a bias has none
    arrangement = _arrange(told.views, around)
    steps = optimization(stage.optimizer, stage.epochs, stage.batch_size)
    module = CrossEntropy(
        parts.encoder,
        parts.classifier,
        arrangement,
        steps,
        loss=loss,
        mix=_mix(told.mix),
        micro_batch=stage.micro_batch,
        seed=around.seed,
    )
    watch = [
        Figures(),
        *around_steps(stage.optimizer, [parts.encoder, parts.classifier], told.probe, stage.knn_every),
        EpochBar(told.traits.loss),
    ]
    loader = _stage1_loader(_labelled(around.data.train), around, arrangement, stage)
    _fit(module, around, folder, loader, stage.epochs, watch)


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
    train = _labelled(around.data.train)
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


def _labelled(split: Split) -> Split:
    """The images that a classifier can learn from."""
    known = split.labels >= 0
    return split if bool(known.all()) else split.pick(known)


def _collapse_sentence(rows: int, queued: int, collapsed: float, factor: float) -> str:
    has = f"{rows} rows" if not queued else f"{rows} rows and the queue {queued:,}"
    return (
        f"A step has {has}. If all embeddings were equal the loss would be {collapsed:.3f} "
        f"({collapsed / factor:.3f} before rescaling): a loss that stays there has collapsed."
    )


def _arrange(views: ViewsConfig, around: Surroundings) -> Arrangement:
    data = around.data
    stored = (data.stored_size, data.stored_size)
    device = "cuda" if on_gpu(around.hardware) else "cpu"
    return arrange_views(views, data.image_size, data.channels, stored, device)


def _mix(config: MixConfig) -> Mix | None:
    methods = {"mixup": mixup, "cutmix": cutmix}
    if config.method == "none":
        return None
    return partial(methods[config.method], alpha=config.alpha, probability=config.probability)


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
