"""The work of `supcon train`: data, stage 1, stage 2, evaluation, report."""

import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from torch import nn

from supcon.base.atomic_files import remove_partial_files, write_json, write_text, write_yaml
from supcon.base.checked_arguments import checked_arguments
from supcon.base.errors import RequestError, TrainingFailedError
from supcon.base.freed_memory import return_freed_memory
from supcon.base.processes import is_first_process
from supcon.base.progress import say
from supcon.base.random_state import kept_random_state
from supcon.base.stored_arrays import write_arrays
from supcon.data import Arrays, DataConfig, ImageData, absolute, keep_arrays
from supcon.encoder import Encoder
from supcon.jobs.both_stages import MakeProbe, train_both_stages
from supcon.jobs.model_outputs import evaluate_model, measures_before_training
from supcon.jobs.planning.lost_model import lost_model, weights_digest
from supcon.jobs.planning.prepare_run import adapted_recipe, load_started, make_plan, run_encoder
from supcon.jobs.planning.recipe_by_data import fitting_recipe
from supcon.jobs.planning.resume_changes import remove_outdated_results
from supcon.jobs.run_folder import default_folder
from supcon.jobs.run_pages import write_report
from supcon.recipes import (
    Method,
    Recipe,
    change_recipe,
    find_recipe,
    flat_values,
    full_names,
    recipe_from_values,
    recipe_to_values,
)
from supcon.runs import Run, create_run, describe_environment, locked, open_run, refuse_existing
from supcon.serving import Model, ModelCard, save_model
from supcon.stages import DryRun, StageEstimate, run_device


@checked_arguments
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
    (`{"stage1.optimizer.lr": 0.2}`). With a `method` other than its own, a named recipe is replaced by its variant for
    that method; of a `Recipe` object only the method is changed.
    """
    for name, value in (("out", out), ("recipe", recipe)):
        if value == "":
            raise RequestError(f"{name} is empty; give a value or leave it out.")
    spec = str(data) if isinstance(data, str | Path) else keep_arrays(data) if data is not None else None
    changes = {"data.spec": None if spec is None else absolute(spec), **short_options, **(options or {})}
    given = full_names(name for name, value in changes.items() if value is not None)
    if isinstance(recipe, Recipe):
        given = set(flat_values(recipe_to_values(recipe)))  # a Recipe object is not adapted to data and machine
        changes["method"] = changes.get("method") or method
    else:
        recipe = find_recipe(recipe or fitting_recipe(_data_config(changes), changes), method)
    recipe = change_recipe(recipe, changes)
    return run_recipe(recipe, Path(out) if out is not None else default_folder(recipe), given)


def _data_config(changes: Mapping[str, Any]) -> DataConfig:
    """The data settings that are needed to choose a recipe."""
    given = {"spec": changes["data.spec"], "root": changes.get("data_root"), "download": changes.get("download")}
    return DataConfig(**{name: value for name, value in given.items() if value is not None})


@kept_random_state()
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


@kept_random_state()
def run_recipe(
    recipe: Recipe,
    folder: Path,
    given: Collection[str] = (),
    make_probe: MakeProbe | None = None,
    stage1: Path | None = None,
) -> Run:
    """Runs `recipe` in a new `folder`, with settings adapted to the data and the machine.

    `given` are the dotted names of values that the user has set; these are never changed. `make_probe` replaces the
    k-NN measurement of stage 1. `stage1` is the folder of a finished stage 1 with the same settings: it is copied
    instead of trained again.
    """
    if not is_first_process():
        return _follow(recipe, Run(folder), given, make_probe)
    refuse_existing(folder)
    # Before the folder is created, so that a request that fails leaves no files.
    plan = make_plan(recipe, folder, given)
    run = create_run(folder)
    write_json(run.environment_file, describe_environment(recipe.seed))
    write_text(run.splits_file, plan.data.split_table)
    if stage1:
        shutil.copytree(stage1, run.stage(1))
    write_yaml(run.recipe_file, recipe_to_values(plan.recipe))  # last: a folder with a recipe file counts as a run
    return _work(plan.recipe, run, plan.data, make_probe)


@kept_random_state()
def dry_run(recipe: Recipe, given: Collection[str] = ()) -> list[StageEstimate]:
    """Estimates time and memory by running two steps of each stage of `recipe`; writes nothing."""
    plan, dry_run = make_plan(recipe, None, given), DryRun()
    # The folder is only a name here: a dry run writes nothing into it.
    train_both_stages(plan.recipe, Run(default_folder(recipe)), plan.data, dry_run)
    return dry_run.stages


def _follow(recipe: Recipe, run: Run, given: Collection[str], make_probe: MakeProbe | None) -> Run:
    """The work of every process but the first: the same training, with the same recipe as the first process.

    If the first process started this one, it has written the recipe already; under torchrun or SLURM this process
    adapts the recipe to the same data itself.
    """
    fitted = recipe_from_values(run.recipe) if run.recipe_file.exists() else adapted_recipe(recipe, given)[0]
    return _work(fitted, run, None, make_probe)


def _work(recipe: Recipe, run: Run, data: ImageData | None, make_probe: MakeProbe | None) -> Run:
    """Does all work of a run that is not finished yet; only the first process evaluates and writes files."""
    if not is_first_process():
        train_both_stages(recipe, run, load_started(recipe, run), make_probe=make_probe)
        return run
    with locked(run):
        remove_partial_files(run.path)
        if not run.complete or lost_model(run, recipe):
            data = data or load_started(recipe, run)
            with _failure_kept(run):
                encoder, classifier = train_both_stages(recipe, run, data, make_probe=make_probe)
            evaluated = weights_digest(run)
            save_model(run, Model(encoder, classifier, _card(recipe, data)))
            return_freed_memory()
            if run.complete and weights_digest(run) != evaluated:
                run.evaluation_file.unlink()  # of other weights, or of ones that are not known
            if not run.complete:
                _evaluate(recipe, run, data, encoder, classifier)
            write_report(run)
        elif not _has_report(run):
            write_report(run)
        else:
            say(f"The run {run.path} is finished already; nothing is left to do.")
    return run


@contextmanager
def _failure_kept(run: Run) -> Iterator[None]:
    """Writes down why a training failed, so that later commands do not advise to resume it."""
    run.failure_file.unlink(missing_ok=True)
    try:
        yield
    except TrainingFailedError as error:
        write_text(run.failure_file, f"{error}\n")
        raise


def _has_report(run: Run) -> bool:
    """Whether the report was written after the evaluation; `report.md` is the later of its two files."""
    if not (run.report_file.exists() and run.report_text_file.exists()):
        return False
    return run.evaluation_file.stat().st_mtime_ns <= run.report_text_file.stat().st_mtime_ns


def _evaluate(recipe: Recipe, run: Run, data: ImageData, encoder: Encoder, classifier: nn.Linear) -> None:
    """Writes `test_outputs.npz` and, last, `evaluation.json`."""
    device = run_device(recipe.hardware)  # Lightning has left both on the CPU after training
    measures, arrays = evaluate_model(encoder.to(device), classifier.to(device), data)
    if recipe.encoder.pretrained and not data.multi_label:
        measures |= measures_before_training(run_encoder(recipe, data).to(device), data)
    write_arrays(run.outputs_file, arrays)
    if data.left_out:
        measures["images/left_out"] = len(data.left_out)
    on_validation = data.tested_on_validation or data.validation_is_test
    remarks = {"images/tested": "validation"} if on_validation else {}
    write_json(run.evaluation_file, {**measures, **_costs(run, encoder), **remarks})


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
