"""Stage 2: from a recipe's settings to a trained linear classifier on the encoder."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from torch import Tensor, nn

from supcon.data import Split
from supcon.encoder import Encoder
from supcon.stages.cached_representations import NO_VIEWS, cached_loader
from supcon.stages.callbacks.alarms import LossAtEnd
from supcon.stages.callbacks.diagnostics import Diagnostics
from supcon.stages.callbacks.step_callbacks import step_callbacks
from supcon.stages.callbacks.training_progress import EpochBar
from supcon.stages.classifier_losses import uninformed_loss
from supcon.stages.config import Stage2Config
from supcon.stages.linear_stage import Classify
from supcon.stages.optimization.optimizer_and_schedule import Optimization, OwnRates
from supcon.stages.run_context import RunContext

EncodeSplit = Callable[[Encoder, Split], Tensor]
"""`encode_split(encoder, split)` returns the representations of all images of a split, in order."""


def train_classifier(
    encoder: Encoder,
    classifier: nn.Linear,
    stage: Stage2Config,
    context: RunContext,
    folder: Path,
    *,
    encode_split: EncodeSplit,
) -> None:
    """Trains `classifier`: on views, on cached representations, or together with `encoder`."""
    train, finetune, network = context.data.train, stage.encoder_lr > 0, nn.Module()
    own_rates: OwnRates = {encoder: replace(stage.optimizer, lr=stage.encoder_lr)} if finetune else {}
    if stage.cached:
        network, view_maker = nn.Identity(), NO_VIEWS
        representations = encode_split(encoder, train)
        loader = cached_loader(representations, train.labels, stage.batch_size, context.seed, sampler=stage.sampler)
    else:
        network, view_maker = encoder, context.view_maker(stage.views)
        loader = context.loader(train, stage.batch_size, view_maker, "stage2", sampler=stage.sampler)
    module = Classify(
        network,
        classifier,
        view_maker,
        Optimization(stage.optimizer, stage.epochs, stage.batch_size, own_rates),
        finetune=finetune,
        batch_norm=stage.batch_norm,
        label_smoothing=stage.label_smoothing,
        seed=context.seed,
    )
    uninformed = uninformed_loss(len(context.data.class_names), multi_label=context.data.multi_label)
    callbacks = [
        Diagnostics(),
        *step_callbacks(stage.optimizer, [encoder, classifier] if finetune else [classifier]),
        LossAtEnd("stage2", uninformed, contrastive=False),
        EpochBar("stage 2, fine-tuning" if finetune else "stage 2, linear"),
    ]
    context.run(module, loader, folder, epochs=stage.epochs, clip_norm=stage.optimizer.clip_norm, callbacks=callbacks)
