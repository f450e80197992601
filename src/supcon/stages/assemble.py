"""Stage 1 of any method, put together from what a recipe says."""

from dataclasses import dataclass
from functools import partial

from lightning import LightningModule
from torch import nn

from supcon.encoder import Encoder
from supcon.losses.config import LossConfig
from supcon.projection import Projection
from supcon.stages.callbacks.training_progress import Probe
from supcon.stages.classifier_losses import ClassifierLoss, LargeMargin, Softmax
from supcon.stages.config import Stage1Config, Stage2Config
from supcon.stages.contrastive_loss import make_contrast, make_queue
from supcon.stages.cross_entropy import CrossEntropy
from supcon.stages.joint_classifier import Beside
from supcon.stages.methods import Traits
from supcon.stages.optimization.make_optimization import Rates, optimization
from supcon.stages.pretrain import Mix, Pretrain
from supcon.views import Arrangement, MixConfig, ViewsConfig, cutmix, mixup


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


def make_stage1(parts: Parts, views: Arrangement, told: Stage1, seed: int = 0) -> LightningModule:
    """What trains the encoder: contrastively, or together with a classifier."""
    return (_pretrain if told.traits.contrastive else _cross_entropy)(parts, views, told, seed)


def _pretrain(parts: Parts, views: Arrangement, told: Stage1, seed: int) -> Pretrain:
    traits, stage, loss = told.traits, told.stage, told.loss
    beside = _beside(parts.classifier, told) if traits.beside else None
    rates: Rates = {parts.classifier: told.classifier.optimizer} if traits.beside else {}
    return Pretrain(
        parts.encoder,
        parts.projection,
        make_contrast(traits.loss, loss, gather_distributed=True),
        views,
        optimization(stage.optimizer, stage.epochs, stage.batch_size, rates),
        mix=_mix(told.mix),
        labelled=traits.labelled,
        queue=make_queue(loss.queue_size, parts.projection.width, gather_distributed=True),
        queue_momentum=loss.queue_momentum,
        beside=beside,
        micro_batch=stage.micro_batch,
        seed=seed,
    )


def _beside(classifier: nn.Linear, told: Stage1) -> Beside:
    return Beside(
        classifier,
        encoder_weight=told.stage.cross_entropy_weight,
        label_smoothing=told.classifier.label_smoothing,
    )


def _cross_entropy(parts: Parts, views: Arrangement, told: Stage1, seed: int) -> CrossEntropy:
    stage = told.stage
    loss: ClassifierLoss = Softmax(stage.label_smoothing)
    if told.traits.loss == "large-margin":
        loss = LargeMargin(stage.margin, stage.label_smoothing)
        parts.classifier.bias.requires_grad_(False)  # the margin is between angles, and a bias has none
    return CrossEntropy(
        parts.encoder,
        parts.classifier,
        views,
        optimization(stage.optimizer, stage.epochs, stage.batch_size),
        loss=loss,
        mix=_mix(told.mix),
        micro_batch=stage.micro_batch,
        seed=seed,
    )


def _mix(config: MixConfig) -> Mix | None:
    methods = {"mixup": mixup, "cutmix": cutmix}
    if config.method == "none":
        return None
    return partial(methods[config.method], alpha=config.alpha, probability=config.probability)
