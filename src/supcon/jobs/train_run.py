"""The work of `supcon train`: data, stage 1, stage 2, evaluation, report."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lightning import Callback, seed_everything
from torch import nn

from supcon.base.atomic_files import remove_partial_files, write_file, write_json, write_text, write_yaml
from supcon.base.errors import RequestError
from supcon.base.processes import is_first_process
from supcon.base.progress import bar, say, waiting
from supcon.data import (
    Arrays,
    DataConfig,
    ImageData,
    ListedData,
    absolute,
    decode_listed,
    keep_arrays,
    list_data,
    training_loader,
)
from supcon.encoder import Encoder, make_encoder, pretrained_statistics
from supcon.jobs.hard_pairs import RecordPairs
from supcon.jobs.live_page import TrainingPage
from supcon.jobs.model_outputs import encode_training_images, evaluate_model, knn_probe, measures_before_training
from supcon.jobs.multi_label_outputs import check_multi_label
from supcon.jobs.planning.faster import faster
from supcon.jobs.planning.fit_to_data import fit_to_data
from supcon.jobs.planning.fit_to_memory import fit_to_memory
from supcon.jobs.planning.plan import Plan, say_data, say_plan
from supcon.jobs.planning.time_estimate import estimate_time
from supcon.jobs.recipe_by_data import fitting_recipe
from supcon.jobs.resume_changes import remove_outdated_results
from supcon.jobs.run_folder import default_folder
from supcon.jobs.run_pages import write_report
from supcon.projection import Projection
from supcon.recipes import (
    RECIPES,
    Method,
    Recipe,
    change_recipe,
    find_recipe,
    flat_values,
    full_names,
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
    on_gpu,
    train_classifier,
    train_encoder,
)

MakeProbe = Callable[[ImageData, Networks], Probe]
"""Makes the probe that stage 1 calls during training, from the run's data and networks."""


def train(
    data: str | Path | Arrays | None = None,
    *,
    recipe: str | Recipe | None = None,
    method: Method | None = None,
    out: str | Path | None = None,
    options: Mapping[str, Any] | None = None,
    **short_options: Any,
) -> Run:
    """Trains, evaluates and writes a report, like `supcon train`.

    `data` is a name or path as for the command, or arrays: (images, labels), or a mapping of these by split. If only
    one of `recipe` and `data` is given, it determines the other. Values of the recipe are changed by short names
    (`epochs=50`, `batch_size`, `seed`, `device`, `precision`) or, in `options`, by dotted ones
    (`{"stage1.optimizer.lr": 0.2}`).
    """
    for name, value in (("out", out), ("recipe", recipe)):
        if value == "":
            raise RequestError(f"{name} is empty; give a value or leave it out.")
    spec = str(data) if isinstance(data, str | Path) else keep_arrays(data) if data is not None else None
    changes = {"data.spec": None if spec is None else absolute(spec), **short_options, **(options or {})}
    given = full_names(name for name, value in changes.items() if value is not None)
    if isinstance(recipe, Recipe):
        given = set(flat_values(recipe_to_values(recipe)))  # a Recipe object is not adapted to data and machine
    else:
        recipe = find_recipe(recipe or fitting_recipe(_data_config(changes), changes), method)
    recipe = change_recipe(recipe, changes)
    return run_recipe(recipe, Path(out) if out is not None else default_folder(recipe), given)


def _data_config(changes: Mapping[str, Any]) -> DataConfig:
    """The data settings that are needed to choose a recipe."""
    given = {"spec": changes["data.spec"], "root": changes.get("data_root"), "download": changes.get("download")}
    return DataConfig(**{name: value for name, value in given.items() if value is not None})


def resume(folder: str | Path, recipe: Recipe | None = None, make_probe: MakeProbe | None = None) -> Run:
    """Continues the run in `folder` from its last checkpoint, like `supcon train --resume`.

    `recipe` is the run's recipe with the changes that `longer_run` allows: more epochs, another storage of the images.
    """
    run = open_run(Path(folder))
    stored = recipe_from_values(run.recipe)
    if recipe is not None and recipe != stored and is_first_process():
        with locked(run):
            remove_outdated_results(run, stored, recipe)
            write_yaml(run.recipe_file, recipe_to_values(recipe))
    return _work(recipe or stored, run, None, make_probe)


def run_recipe(recipe: Recipe, folder: Path, given: Collection[str] = (), make_probe: MakeProbe | None = None) -> Run:
    """Runs `recipe` in a new `folder`, with settings adapted to the data and the machine.

    `given` are the dotted names of values that the user has set; these are never changed. `make_probe` replaces the
    k-NN measurement of stage 1.
    """
    if not is_first_process():
        return _follow(recipe, Run(folder), given, make_probe)
    refuse_existing(folder)
    # Before the folder is created, so that a request that fails leaves no files.
    plan = _plan(recipe, folder, given)
    run = create_run(folder)
    write_json(run.environment_file, describe_environment(recipe.seed))
    write_text(run.splits_file, plan.data.split_table)
    write_yaml(run.recipe_file, recipe_to_values(plan.recipe))  # last: a folder with a recipe file counts as a run
    return _work(plan.recipe, run, plan.data, make_probe)


def dry_run(recipe: Recipe, given: Collection[str] = ()) -> list[StageEstimate]:
    """Estimates time and memory by running two steps of each stage of `recipe`; writes nothing."""
    plan, dry_run = _plan(recipe, None, given), DryRun()
    # The folder is only a name here: a dry run writes nothing into it.
    _train(plan.recipe, Run(default_folder(recipe)), plan.data, dry_run)
    return dry_run.stages


def _plan(recipe: Recipe, folder: Path | None, given: Collection[str]) -> Plan:
    """Adapts the recipe to data and machine, prints the plan, and returns it with the images."""
    fitted, listed = _fitted(recipe, given)
    if listed.collection.multi_label:
        check_multi_label(recipe, listed.name)
    say_data(listed)
    data = _decoded(fitted, listed)
    encoder = _make_encoder(fitted, data)
    with waiting("estimating time and memory"):
        fitted, memory = fit_to_memory(fitted, data, encoder, given)
        time = estimate_time(fitted, data, encoder)
        plan = Plan(
            recipe=fitted,
            asked=recipe,
            data=data,
            listed=listed,
            encoder=encoder,
            time=time,
            memory=memory,
            faster=faster(fitted, data, encoder, time),
            folder=folder,
        )
    say_plan(plan)
    return plan


def _fitted(recipe: Recipe, given: Collection[str]) -> tuple[Recipe, ListedData]:
    if recipe.name in RECIPES:
        for sentence in unused_values(recipe, find_recipe(recipe.name, recipe.method)):
            say(sentence)
    check_hardware(recipe.hardware)
    check_logger(recipe.hardware.logger)
    return fit_to_data(recipe, list_data(recipe.data, recipe.seed), given, on_gpu=on_gpu(recipe.hardware))


def _follow(recipe: Recipe, run: Run, given: Collection[str], make_probe: MakeProbe | None) -> Run:
    """The work of every process but the first: the same training, with the same recipe as the first process.

    If the first process started this one, it has written the recipe already; under torchrun or SLURM this process
    adapts the recipe to the same data itself.
    """
    fitted = recipe_from_values(run.recipe) if run.recipe_file.exists() else _fitted(recipe, given)[0]
    return _work(fitted, run, None, make_probe)


def _load(recipe: Recipe, run: Run) -> ImageData:
    """The data of a run that has been started, with its stored splits."""
    check_hardware(recipe.hardware)
    check_logger(recipe.hardware.logger)
    listed = list_data(recipe.data, recipe.seed, split_table=run.split_table)
    data = _decoded(recipe, listed)
    counts = ", ".join(f"{count:,} {name}" for name, count in data.counts.items())
    say(f"{data.name}: {counts} images of {len(data.class_names)} classes, {data.image_size}x{data.image_size} pixels.")
    return data


def _decoded(recipe: Recipe, listed: ListedData) -> ImageData:
    data = decode_listed(listed, bar)
    for stage in (recipe.stage1, recipe.stage2):
        training_loader(data.train, stage.batch_size, recipe.seed)  # raises if too few readable images remain
    return _with_pretrained_statistics(data, recipe)


def _with_pretrained_statistics(data: ImageData, recipe: Recipe) -> ImageData:
    """Sets mean and std to those that the pretrained weights were trained with, unless the recipe has its own."""
    own = pretrained_statistics(recipe.encoder.name, recipe.encoder.pretrained, data.channels)
    if own is None:
        return data
    return replace(data, mean=recipe.data.mean or own[0], std=recipe.data.std or own[1])


def _work(recipe: Recipe, run: Run, data: ImageData | None, make_probe: MakeProbe | None) -> Run:
    """Does all work of a run that is not finished yet; only the first process evaluates and writes files."""
    if not is_first_process():
        _train(recipe, run, _load(recipe, run), make_probe=make_probe)
        return run
    with locked(run):
        remove_partial_files(run.path)
        if not run.complete:
            data = data or _load(recipe, run)
            encoder, classifier = _train(recipe, run, data, make_probe=make_probe)
            card = _card(recipe, data)
            save_model(run, Model(encoder, classifier, card))
            measures, arrays = evaluate_model(encoder, classifier, data)
            if recipe.encoder.pretrained and not data.multi_label:
                measures |= measures_before_training(_make_encoder(recipe, data).to(_device_of(encoder)), data)
            write_file(run.outputs_file, lambda file: np.savez_compressed(file, allow_pickle=False, **arrays))
            if data.left_out:
                measures["images/left_out"] = len(data.left_out)
            remarks = {"images/tested": "validation"} if data.tested_on_validation else {}
            write_json(run.evaluation_file, {**measures, **_costs(run, encoder), **remarks})
        write_report(run)
    return run


def _train(
    recipe: Recipe,
    run: Run,
    data: ImageData,
    dry_run: DryRun | None = None,
    make_probe: MakeProbe | None = None,
) -> tuple[Encoder, nn.Linear]:
    # All weights are initialized before any stage runs, so that a resumed run starts each stage from the same weights.
    seed_everything(recipe.seed, verbose=False)
    encoder = _make_encoder(recipe, data)
    projection = Projection(encoder.width, **asdict(recipe.projection))
    classifier, last_layer = (make_classifier(encoder.width, len(data.class_names)) for _ in range(2))
    context = RunContext(
        data=data,
        hardware=recipe.hardware,
        seed=recipe.seed,
        fit=dry_run.fit if dry_run else fit,
        watchers=partial(_watchers, recipe, run, data),
    )
    method_spec = METHODS[recipe.method]
    # Stage 2 trains a new classifier: the last layer of stage 1 is discarded like the projection.
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


def _watchers(recipe: Recipe, run: Run, data: ImageData, folder: Path) -> list[Callback]:
    """What is recorded of a stage for the page; the pairs before the page that shows them."""
    pairs: list[Callback] = [RecordPairs(recipe, data, folder)] if folder == run.stage(1) else []
    return [*pairs, TrainingPage(run, data, folder)]


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
        multi_label=data.multi_label,
        encoder=asdict(recipe.encoder),
    )


def _costs(run: Run, encoder: Encoder) -> dict[str, float]:
    """Training time of both stages, including epochs before a resume, and the number of encoder parameters."""
    seconds = {
        f"seconds/stage{number}": sum(value for _, value in run.curves(number).get("seconds", [])) for number in (1, 2)
    }
    return {**seconds, "parameters/encoder": sum(parameter.numel() for parameter in encoder.parameters())}
