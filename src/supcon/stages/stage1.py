"""Stage 1 of any method: from a recipe's settings to a trained encoder."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from lightning import Callback, LightningModule
from torch import nn

from supcon.base.progress import say
from supcon.data import positives_sentence
from supcon.encoder import Encoder, copy_weights, frozen_layers, mix_weights
from supcon.losses import LossConfig
from supcon.projection import Projection
from supcon.stages.callbacks.alarms import Collapse, CrowdedNegatives, LossAtEnd
from supcon.stages.callbacks.diagnostics import Diagnostics
from supcon.stages.callbacks.probe_encoder import Probe
from supcon.stages.callbacks.step_callbacks import step_callbacks
from supcon.stages.callbacks.training_progress import EpochBar
from supcon.stages.classifier_losses import ClassifierLoss, LargeMargin, Softmax, uninformed_loss
from supcon.stages.config import Stage1Config, Stage2Config
from supcon.stages.contrastive_loss import collapsed_loss, make_contrastive_loss, make_queue
from supcon.stages.cross_entropy import CrossEntropy
from supcon.stages.joint_classifier import JointClassifier
from supcon.stages.methods import MethodSpec
from supcon.stages.optimization.optimizer_and_schedule import Optimization, OwnRates
from supcon.stages.pretrain import Mix, Pretrain
from supcon.stages.run_context import RunContext
from supcon.views import MixConfig, ViewMaker, ViewsConfig, cutmix, mixup


@dataclass(frozen=True, kw_only=True)
class Networks:
    """The networks of a run, initialized from its seed."""

    encoder: Encoder
    projection: Projection
    classifier: nn.Linear


@dataclass(frozen=True, kw_only=True)
class Stage1Settings:
    """The parts of a recipe that stage 1 needs."""

    method_spec: MethodSpec
    loss: LossConfig
    views: ViewsConfig
    mix: MixConfig
    stage: Stage1Config
    classifier: Stage2Config
    """Label smoothing, rate and weight decay of the classifier of the method `joint`, which has no stage 2."""
    probe: Probe
    """Measures the encoder during training."""


def train_encoder(networks: Networks, settings: Stage1Settings, context: RunContext, folder: Path) -> None:
    """Trains `networks.encoder` by the method of `settings`; checkpoints and `metrics.csv` go to `folder`."""
    spec, stage = settings.method_spec, settings.stage
    # Contrastive training also uses unlabelled images: their views are each other's positives.
    train = context.data.pretraining if spec.contrastive else context.data.train
    view_maker = context.view_maker(settings.views)
    sampling = {"sampler": stage.sampler, "images_per_class": stage.images_per_class}
    loader = context.loader(train, stage.batch_size, view_maker, "stage1", **sampling)
    useless = uninformed_loss(len(context.data.class_names), multi_label=context.data.multi_label)
    if spec.contrastive:
        labels = train.labels[next(iter(loader.sampler)).images]
        used = labels if spec.labelled else torch.full((len(labels),), -1)
        useless = collapsed_loss(spec.loss, settings.loss, used, settings.views.count)
        say(_collapse_sentence(settings, useless))
    if spec.contrastive and spec.labelled and not context.data.multi_label:
        say(positives_sentence((batch.images for batch in loader.sampler), train.labels, settings.views.count))
    deployed: list[nn.Module] = [networks.encoder]
    if spec.joint_classifier or not spec.contrastive:
        deployed.append(networks.classifier)
    callbacks = [
        _alarms(networks, stage, len(loader)) if spec.contrastive else Diagnostics(),
        *step_callbacks(stage.optimizer, deployed, settings.probe, stage.knn_every),
        LossAtEnd("stage1", useless, contrastive=spec.contrastive),
        EpochBar("stage 1, contrastive" if spec.contrastive else spec.loss),
    ]
    start = copy_weights(networks.encoder) if stage.pretrained_share else {}
    with frozen_layers(networks.encoder, stage.frozen_layers, statistics=stage.frozen_statistics):
        module = make_stage1(networks, settings, view_maker, context.seed)
        clip_norm = stage.optimizer.clip_norm
        context.run(module, loader, folder, epochs=stage.epochs, clip_norm=clip_norm, callbacks=callbacks)
    if start:
        mix_weights(networks.encoder, start, stage.pretrained_share)


def _alarms(networks: Networks, stage: Stage1Config, steps_per_epoch: int) -> Callback:
    """Diagnostics with the alarms of a contrastive stage, which wait for the end of the warm-up."""
    optimization = Optimization(stage.optimizer, stage.epochs, stage.batch_size)
    warmup_steps = optimization.schedule(stage.epochs * steps_per_epoch).warmup_steps
    return Diagnostics(Collapse(warmup_steps), CrowdedNegatives(_spreading_advice(networks), warmup_steps))


def make_stage1(networks: Networks, settings: Stage1Settings, view_maker: ViewMaker, seed: int = 0) -> LightningModule:
    """The Lightning module that trains the encoder: contrastively, or together with a classifier."""
    make = _pretrain if settings.method_spec.contrastive else _cross_entropy
    return make(networks, settings, view_maker, seed)


def _pretrain(networks: Networks, settings: Stage1Settings, view_maker: ViewMaker, seed: int) -> Pretrain:
    spec, stage, loss = settings.method_spec, settings.stage, settings.loss
    joint_classifier, own_rates = None, OwnRates()
    if spec.joint_classifier:
        joint_classifier = JointClassifier(
            networks.classifier,
            encoder_weight=stage.cross_entropy_weight,
            label_smoothing=settings.classifier.label_smoothing,
        )
        own_rates = {networks.classifier: settings.classifier.optimizer}
    return Pretrain(
        networks.encoder,
        networks.projection,
        make_contrastive_loss(spec.loss, loss, gather_distributed=True),
        view_maker,
        Optimization(stage.optimizer, stage.epochs, stage.batch_size, own_rates),
        mix=_mix(settings.mix),
        labelled=spec.labelled,
        queue=make_queue(loss.queue_size, networks.projection.width, gather_distributed=True),
        queue_momentum=loss.queue_momentum,
        joint_classifier=joint_classifier,
        micro_batch=stage.micro_batch,
        seed=seed,
    )


def _cross_entropy(networks: Networks, settings: Stage1Settings, view_maker: ViewMaker, seed: int) -> CrossEntropy:
    stage = settings.stage
    loss: ClassifierLoss = Softmax(stage.label_smoothing)
    if settings.method_spec.loss == "large-margin":
        loss = LargeMargin(stage.margin, stage.label_smoothing)
        networks.classifier.bias.requires_grad_(False)  # the margin is defined on angles only
    return CrossEntropy(
        networks.encoder,
        networks.classifier,
        view_maker,
        Optimization(stage.optimizer, stage.epochs, stage.batch_size),
        loss=loss,
        mix=_mix(settings.mix),
        micro_batch=stage.micro_batch,
        first_view_only=stage.learn_from == "first-view",
        seed=seed,
    )


def _mix(config: MixConfig) -> Mix | None:
    methods = {"mixup": mixup, "cutmix": cutmix}
    if config.method == "none":
        return None
    return partial(methods[config.method], alpha=config.alpha, probability=config.probability)


def _spreading_advice(networks: Networks) -> str:
    """Advice on how to separate negatives, out of the options that this run does not use already."""
    if isinstance(networks.encoder.centre, nn.Identity) and isinstance(networks.projection.centre, nn.Identity):
        return (
            "start another run with --projection.centre true (or --encoder.centre_representation true, which also "
            "changes the representations for k-NN and the classifier) and a --loss.temperature of 0.2 to 0.3"
        )
    return "start another run with a higher learning rate (--stage1.optimizer.lr) or a shorter warm-up"


def _collapse_sentence(settings: Stage1Settings, collapsed: float) -> str:
    loss, views, batch_size = settings.loss, settings.views.count, settings.stage.batch_size
    rows = f"{batch_size * views} rows"
    if loss.queue_size:
        rows += f" and the queue {loss.queue_size:,}"
    return (
        f"A step has {rows}. If all embeddings were equal the loss would be {collapsed:.3f} "
        f"({collapsed / loss.factor:.3f} before rescaling): if the loss stays at this value, the encoder has collapsed."
    )
