"""The main job from top to bottom: data, stage 1, stage 2, evaluation, report."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lightning import seed_everything
from torch import nn

from supcon.base.atomic_files import write_file, write_json, write_text, write_yaml
from supcon.base.errors import RequestError
from supcon.base.processes import is_first_process
from supcon.base.progress import bar, say
from supcon.data import Arrays, DataConfig, ImageData, absolute, keep_arrays, load_data, short_name, training_loader
from supcon.encoder import Encoder, make_encoder, pretrained_statistics
from supcon.jobs.model_outputs import encode_training_images, evaluate_model, knn_probe, measures_before_training
from supcon.jobs.recipe_by_data import fitting_recipe
from supcon.jobs.run_pages import write_report
from supcon.projection import Projection
from supcon.recipes import (
    RECIPES,
    Method,
    Recipe,
    change_recipe,
    find_recipe,
    recipe_from_values,
    recipe_to_values,
    unused_values,
)
from supcon.runs import Run, create_run, describe_environment, locked, open_run, refuse_existing
from supcon.serving import Model, ModelCard, save_model
from supcon.stages import (
    METHODS,
    DryRun,
    EncodeSplit,
    Networks,
    Probe,
    RunContext,
    Stage1Settings,
    StageEstimate,
    check_hardware,
    check_logger,
    fit,
    make_classifier,
    train_classifier,
    train_encoder,
)

MakeProbe = Callable[[ImageData, Networks], Probe]
"""From a run's data and networks to what is measured while stage 1 trains."""


def train(
    data: str | Path | Arrays | None = None,
    *,
    recipe: str | Recipe | None = None,
    method: Method | None = None,
    out: str | Path | None = None,
    options: Mapping[str, Any] | None = None,
    **short_options: Any,
) -> Run:
    """Trains, evaluates and reports; the same as `supcon train`.

    `data` is what the command takes, or arrays: (images, labels), or these by split. `recipe` and `data` find each
    other where one is not given. Values of the recipe are changed by short names (`epochs=50`, `batch_size`, `seed`,
    `device`, `precision`) or, in `options`, by dotted ones (`{"stage1.optimizer.lr": 0.2}`).
    """
    spec = str(data) if isinstance(data, str | Path) else keep_arrays(data) if data is not None else None
    changes = {"data.spec": None if spec is None else absolute(spec), **short_options, **(options or {})}
    if not isinstance(recipe, Recipe):
        recipe = find_recipe(recipe or fitting_recipe(_data_config(changes), changes), method)
    recipe = change_recipe(recipe, changes)
    return run_recipe(recipe, Path(out) if out is not None else default_folder(recipe))


def _data_config(changes: Mapping[str, Any]) -> DataConfig:
    """What decides which images there are, without a recipe."""
    given = {"spec": changes["data.spec"], "root": changes.get("data_root"), "download": changes.get("download")}
    return DataConfig(**{name: value for name, value in given.items() if value is not None})


def resume(folder: str | Path, make_probe: MakeProbe | None = None) -> Run:
    """Goes on with the run in `folder` from its last checkpoint; the same as `supcon train --resume`."""
    run = open_run(Path(folder))
    return _work(recipe_from_values(run.recipe), run, None, make_probe)


def run_recipe(recipe: Recipe, folder: Path, make_probe: MakeProbe | None = None) -> Run:
    """Does everything that `recipe` says, in a new `folder`; `make_probe` replaces the k-NN measurement of stage 1."""
    if not is_first_process():  # the first one makes the folder
        return _work(recipe, Run(folder), None, make_probe)
    refuse_existing(folder)
    # Before the folder is made: a request that cannot be met leaves nothing behind.
    data = _load(recipe)
    _make_encoder(recipe, data)
    run = create_run(folder)
    write_text(run.splits_file, data.split_table)
    write_json(run.environment_file, describe_environment(recipe.seed))
    write_yaml(run.recipe_file, recipe_to_values(recipe))  # the last: it is what makes a folder a run
    return _work(recipe, run, data, make_probe)


def dry_run(recipe: Recipe) -> list[StageEstimate]:
    """Builds everything that `recipe` says, tries two steps of each stage, and writes nothing."""
    dry_run = DryRun()
    # No stage writes anything into a folder that is only rehearsed for.
    _train(recipe, Run(default_folder(recipe)), _load(recipe), dry_run)
    return dry_run.stages


def default_folder(recipe: Recipe) -> Path:
    """`runs/DATA-METHOD`, with the seed where it is not the usual one."""
    name = f"{short_name(recipe.data.spec)}-{recipe.method}"
    return Path("runs") / (name if recipe.seed == 0 else f"{name}-seed{recipe.seed}")


def _load(recipe: Recipe, run: Run | None = None) -> ImageData:
    if recipe.name in RECIPES:
        for sentence in unused_values(recipe, find_recipe(recipe.name, recipe.method)):
            say(sentence)
    check_hardware(recipe.hardware)
    check_logger(recipe.hardware.logger)
    data = load_data(recipe.data, recipe.seed, bar, split_table=run.split_table if run is not None else None)
    if data.multi_label:
        raise RequestError(
            f"{data.name} has several labels an image, and `supcon train` takes one; use it with `supcon transfer`."
        )
    for stage in (recipe.stage1, recipe.stage2):
        training_loader(data.train, stage.batch_size, recipe.seed)  # refuses a batch larger than the training set
    data = _with_pretrained_statistics(data, recipe)
    counts = " / ".join(f"{count:,} {name}" for name, count in data.counts.items())
    say(f"{data.name}: {counts} images of {len(data.class_names)} classes, {data.image_size}x{data.image_size} pixels.")
    return data


def _with_pretrained_statistics(data: ImageData, recipe: Recipe) -> ImageData:
    """With the mean and deviation that the encoder's weights were trained with, where the recipe gives no others."""
    own = pretrained_statistics(recipe.encoder.name, recipe.encoder.pretrained, data.channels)
    if own is None:
        return data
    return replace(data, mean=recipe.data.mean or own[0], std=recipe.data.std or own[1])


def _work(recipe: Recipe, run: Run, data: ImageData | None, make_probe: MakeProbe | None) -> Run:
    """All the work of a run that its folder does not hold yet; of several processes, the first does all but train."""
    if not is_first_process():
        _train(recipe, run, _load(recipe, run), make_probe=make_probe)
        return run
    with locked(run):
        if not run.complete:
            data = data or _load(recipe, run)
            encoder, classifier = _train(recipe, run, data, make_probe=make_probe)
            card = _card(recipe, data)
            save_model(run, Model(encoder, classifier, card))
            measures, arrays = evaluate_model(encoder, classifier, data)
            if recipe.encoder.pretrained:
                measures |= measures_before_training(_make_encoder(recipe, data).to(_device_of(encoder)), data)
            write_file(run.outputs_file, lambda file: np.savez_compressed(file, allow_pickle=False, **arrays))
            if data.left_out:
                measures["images/left_out"] = len(data.left_out)
            write_json(run.evaluation_file, measures | _costs(run, encoder))
        write_report(run)
    return run


def _train(
    recipe: Recipe,
    run: Run,
    data: ImageData,
    dry_run: DryRun | None = None,
    make_probe: MakeProbe | None = None,
) -> tuple[Encoder, nn.Linear]:
    # All weights are drawn before any stage runs, so that a resumed run starts each stage from the same ones.
    seed_everything(recipe.seed, verbose=False)
    encoder = _make_encoder(recipe, data)
    projection = Projection(encoder.width, **asdict(recipe.projection))
    classifier, last_layer = (make_classifier(encoder.width, len(data.class_names)) for _ in range(2))
    context = RunContext(data=data, hardware=recipe.hardware, seed=recipe.seed, fit=dry_run.fit if dry_run else fit)
    method_spec = METHODS[recipe.method]
    # What stage 2 trains is drawn anew: a last layer that stage 1 had is thrown away with the projection.
    networks = Networks(
        encoder=encoder, projection=projection, classifier=last_layer if method_spec.stage2 else classifier
    )
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
    if method_spec.stage2:
        encode_split: EncodeSplit = partial(encode_training_images, image_size=data.image_size)
        if dry_run:
            encode_split = partial(dry_run.encode_split, encode_split)
        train_classifier(encoder, classifier, recipe.stage2, context, run.stage(2), encode_split=encode_split)
    return encoder, classifier


def _make_encoder(recipe: Recipe, data: ImageData) -> Encoder:
    return make_encoder(
        **asdict(recipe.encoder),
        channels=data.channels,
        image_size=data.image_size,
        mean=data.mean,
        std=data.std,
    )


def _device_of(module: nn.Module) -> torch.device:
    return next(module.parameters()).device


def _card(recipe: Recipe, data: ImageData) -> ModelCard:
    return ModelCard(
        recipe=recipe.name,
        method=recipe.method,
        data=data.name,
        class_names=data.class_names,
        channels=data.channels,
        image_size=data.image_size,
        stored_size=data.stored_size,
        mean=data.mean,
        std=data.std,
        counts=data.counts,
        encoder=asdict(recipe.encoder),
    )


def _costs(run: Run, encoder: Encoder) -> dict[str, float]:
    """Training time of both stages, over all the sittings that a run took, and the size of what is deployed."""
    seconds = {
        f"seconds/stage{number}": sum(value for _, value in run.curves(number).get("seconds", [])) for number in (1, 2)
    }
    return {**seconds, "parameters/encoder": sum(parameter.numel() for parameter in encoder.parameters())}
