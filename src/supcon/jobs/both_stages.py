"""Stage 1 and stage 2 of a run: the encoder, then the classifier on it."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path

from lightning import Callback, seed_everything
from torch import nn

from supcon.base.freed_memory import return_freed_memory
from supcon.data import ImageData
from supcon.encoder import Encoder
from supcon.jobs.hard_pairs import RecordPairs
from supcon.jobs.live_page import TrainingPage
from supcon.jobs.model_outputs import encode_training_images, knn_probe
from supcon.jobs.planning.prepare_run import run_encoder
from supcon.projection import Projection
from supcon.recipes import Recipe
from supcon.runs import Run
from supcon.stages import (
    METHODS,
    DryRun,
    EncodeSplit,
    Networks,
    Probe,
    RunContext,
    Stage1Settings,
    fit,
    make_classifier,
    run_device,
    train_classifier,
    train_encoder,
)

MakeProbe = Callable[[ImageData, Networks], Probe]
"""Makes the probe that stage 1 calls during training, from the run's data and networks."""


def train_both_stages(
    recipe: Recipe,
    run: Run,
    data: ImageData,
    dry_run: DryRun | None = None,
    make_probe: MakeProbe | None = None,
) -> tuple[Encoder, nn.Linear]:
    """Trains, or continues, both stages; returns the encoder and its classifier.

    With `dry_run` each stage runs two steps. `make_probe` replaces the k-NN measurement of stage 1.
    """
    # All weights are initialized before any stage runs, so that a resumed run starts each stage from the same weights.
    seed_everything(recipe.seed, verbose=False)
    encoder = run_encoder(recipe, data)
    projection = Projection(encoder.width, **asdict(recipe.projection))
    # Cross-entropy with one stage and with two trains the same encoder, beginning with the same last layer.
    classifier, new_classifier = (make_classifier(encoder.width, len(data.class_names)) for _ in range(2))
    context = RunContext(
        data=data,
        hardware=recipe.hardware,
        seed=recipe.seed,
        fit=dry_run.fit if dry_run else fit,
        watchers=partial(_watchers, recipe, run, data),
    )
    method_spec = METHODS[recipe.method]
    networks = Networks(encoder=encoder, projection=projection, classifier=classifier)
    settings = Stage1Settings(
        method_spec=method_spec,
        loss=recipe.loss,
        views=recipe.views,
        mix=recipe.mix,
        stage=recipe.stage1,
        classifier=recipe.stage2,
        probe=make_probe(data, networks) if make_probe else knn_probe(data),
    )
    train_encoder(networks, settings, context, run.stage(1))
    return_freed_memory()
    if method_spec.stage2:
        if not method_spec.contrastive:  # the last layer of stage 1 is discarded like the projection
            classifier = new_classifier
        encode_split: EncodeSplit = partial(
            encode_training_images, image_size=data.image_size, device=run_device(recipe.hardware)
        )
        if dry_run:
            encode_split = partial(dry_run.encode_split, encode_split)
        train_classifier(encoder, classifier, recipe.stage2, context, run.stage(2), encode_split=encode_split)
    return encoder, classifier


def _watchers(recipe: Recipe, run: Run, data: ImageData, folder: Path) -> list[Callback]:
    """What is recorded of a stage for the page; the pairs before the page that shows them."""
    pairs: list[Callback] = [RecordPairs(recipe, data, folder)] if folder == run.stage(1) else []
    return [*pairs, TrainingPage(run, data, folder)]
