"""Trains and evaluates one cell, and returns its result."""

import json
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import torch

from supcon.base.errors import TrainingFailedError
from supcon.base.stored_arrays import read_arrays
from supcon.data import short_name
from supcon.evaluation import mean_measures
from supcon.experiments import Cell, FinishedCell, Scale, pack
from supcon.jobs.evaluation.option_values import chosen_corruptions
from supcon.jobs.evaluation.own_data import own_data
from supcon.jobs.evaluation.record_measures import add_measures
from supcon.jobs.reproduction.corrupted_sets_on_disk import corrupted_set, measure_corrupted
from supcon.jobs.reproduction.gradient_shares import gradient_probe
from supcon.jobs.reproduction.shared_stage1 import SharedStage1
from supcon.jobs.stored_fingerprint import stored_fingerprint
from supcon.jobs.train_run import resume, run_recipe
from supcon.jobs.transfer_learning.config import TransferConfig
from supcon.jobs.transfer_learning.transfer_run import transfer
from supcon.recipes import Recipe, find_recipe, flat_values, recipe_to_values
from supcon.runs import Run, describe_environment
from supcon.serving import load, torch_device

_KEPT = (
    *("test/", "validation/top1", "before/", "corruptions/", "transfer/", "gradients/"),
    *("seconds/", "parameters/"),
)


@dataclass(frozen=True)
class CellPlaces:
    """The folders of a cell."""

    work: Path
    scale: Scale

    def run(self, cell: Cell) -> Path:
        return self.work / "cells" / cell.key


def run_cell(cell: Cell, places: CellPlaces, shared: SharedStage1 | None = None) -> FinishedCell:
    """Trains and evaluates a cell, or continues one that was interrupted, without repeating finished parts.

    A training that fails because the loss is NaN or infinite or the encoder has collapsed is a result, because it would
    fail again. Errors of the machine, such as a full disk or too little memory, are raised, and the cell is run again.
    """
    start, failure = time.monotonic(), ""
    folder = places.run(cell)
    stage1 = shared.find(cell) if shared else None
    try:
        _train(cell, folder, stage1)
        for extra in cell.lacks(Run(folder).measures):
            {"corruptions": _corruptions, "transfer": _transfer, "gradients": _gradients}[extra](Run(folder), places)
    except TrainingFailedError as error:
        failure = str(error)
    finished = _finished(cell, Run(folder), time.monotonic() - start, failure, trained_here=stage1 is None)
    if shared and not failure:
        shared.keep(cell, Run(folder).stage(1))
    _tidy(Run(folder))
    return finished


def _train(cell: Cell, folder: Path, stage1: Path | None) -> None:
    make_probe = gradient_probe(cell.recipe) if "gradients" in cell.extras else None
    run = Run(folder)
    if run.recipe_file.exists():
        if not run.complete:
            resume(folder, make_probe=make_probe)
        return
    shutil.rmtree(folder, ignore_errors=True)  # killed before the run was created
    # Every value counts as set by the user: a cell is trained with exactly the values of its recipe.
    given = flat_values(recipe_to_values(cell.recipe))
    run_recipe(cell.recipe, folder, given, make_probe, stage1)


def _corruptions(run: Run, places: CellPlaces) -> None:
    model, names = load(run.path, torch_device("auto")), chosen_corruptions(places.scale.corruptions)
    folder = places.work / "corrupted" / stored_fingerprint(run)
    images = corrupted_set(own_data(run), names, folder, places.scale.corrupted_gigabytes)
    measures, right = measure_corrupted(model, images, names)
    np.save(run.path / "right_when_corrupted.npy", right.astype(np.uint8))
    add_measures(run, ["corruptions"], {**measures, **dict(mean_measures(measures))})


def _transfer(run: Run, places: CellPlaces) -> None:
    scale = places.scale
    protocols = ("fine-tune", "linear") if scale.linear_transfer else ("fine-tune",)
    root = run.recipe["data"]["root"]
    transfer(run.path, scale.transfer_to, protocols=protocols, config=TransferConfig(**scale.transfer), data_root=root)  # type: ignore[arg-type]


def _gradients(run: Run, places: CellPlaces) -> None:
    """The values that the probe logged at every epoch it ran, and the last ones."""
    del places
    measures: dict[str, float] = {}
    for name, points in run.curves(1).items():
        if name.startswith("gradients/"):
            last = name.rpartition("/")[2]
            measures |= {f"gradients/epoch_{epoch}/{last}": value for epoch, value in points}
            measures[name] = points[-1][1]
    add_measures(run, ["gradients"], measures)


def _finished(cell: Cell, run: Run, seconds: float, failure: str, *, trained_here: bool) -> FinishedCell:
    """The result; `trained_here`: not with the stage 1 of another cell, whose time counts there."""
    environment = describe_environment(cell.recipe.seed)
    measures = {} if failure else {name: value for name, value in run.measures.items() if _is_kept(name)}
    stages = ("seconds/stage1", "seconds/stage2") if trained_here else ("seconds/stage2",)
    trained = sum(measures.get(stage, 0.0) for stage in stages)
    right, corrupted = ("", "") if failure else _right(run)
    base = find_recipe(cell.recipe.name)
    return FinishedCell(
        key=cell.key,
        recipe=cell.recipe.name,
        method=cell.recipe.method,
        changes=json.dumps(_changes(base, cell.recipe), sort_keys=True),
        seed=cell.recipe.seed,
        data=short_name(cell.recipe.data.spec),
        seconds=round(max(seconds, trained), 1),  # of a resumed run: the sum of all its parts
        threads=torch.get_num_threads(),
        processor=environment["accelerators"][0] if environment["accelerators"] else environment["processor"],
        commit=environment["commit"] or "",
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        failure=" ".join(failure.split()),
        test_set="" if failure else stored_fingerprint(run),
        measures=measures,
        right=right,
        right_when_corrupted=corrupted,
    )


def _is_kept(name: str) -> bool:
    return name.startswith(_KEPT) and not name.endswith(("_low", "_high"))


def _changes(base: Recipe, recipe: Recipe) -> Mapping[str, object]:
    """The values that differ from the recipe of that name, without seed, data and hardware."""
    old, new = (flat_values(recipe_to_values(each)) for each in (base, recipe))
    left_out = ("seed", "data.spec", "data.root", "data.hold")
    return {
        name: value
        for name, value in new.items()
        if value != old[name] and name not in left_out and not name.startswith("hardware.")
    }


def _right(run: Run) -> tuple[str, str]:
    arrays = read_arrays(run.outputs_file, ("probabilities", "labels"))
    right = pack(arrays["probabilities"].argmax(1) == arrays["labels"])
    corrupted = run.path / "right_when_corrupted.npy"
    return right, pack(np.load(corrupted, allow_pickle=False)) if corrupted.exists() else ""


def _tidy(run: Run) -> None:
    """Removes large files that can be recreated: pages of 5 MB, and the checkpoints of a finished run."""
    run.report_file.unlink(missing_ok=True)
    for number in (1, 2):
        shutil.rmtree(run.stage(number) / "checkpoints", ignore_errors=True)
