"""A run's folder: its files, and the lock that protects them."""

import difflib
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supcon.base.atomic_files import try_to_write
from supcon.base.bounded_reading import TABLE_LIMIT, read_text
from supcon.base.errors import RequestError, disk_errors, system_reason
from supcon.base.metrics_table import read_metrics
from supcon.base.stored_values import TRAIN_AGAIN, check_value, read_json, read_own_yaml

_REMARKS = ("set", "baseline", "protocol", "bins", "tested", "frost")
"""Last parts of the names in `evaluation.json` that have texts; all others have numbers."""


@dataclass(frozen=True)
class Run:
    """The folder of one run; the names of its files are part of the public interface."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.resolve().name

    @property
    def recipe_file(self) -> Path:
        return self.path / "recipe.yaml"

    @property
    def splits_file(self) -> Path:
        """Every image that the run uses, with its label and split."""
        return self.path / "splits.csv"

    @property
    def split_table(self) -> str:
        """The content of `splits.csv`. A run without it is refused: other splits could test on training images."""
        return read_text(self.splits_file, f"restore it, or {TRAIN_AGAIN}", TABLE_LIMIT)

    @property
    def environment_file(self) -> Path:
        return self.path / "environment.json"

    @property
    def evaluation_file(self) -> Path:
        return self.path / "evaluation.json"

    @property
    def model_file(self) -> Path:
        return self.path / "model.safetensors"

    @property
    def model_card_file(self) -> Path:
        return self.path / "model.json"

    @property
    def outputs_file(self) -> Path:
        """The model's outputs for the test images, from which the report is rebuilt without the data."""
        return self.path / "test_outputs.npz"

    @property
    def samples_file(self) -> Path:
        """One test image under every corruption, once the run was evaluated on them."""
        return self.path / "corruption_samples.npz"

    @property
    def report_file(self) -> Path:
        return self.path / "report.html"

    @property
    def failure_file(self) -> Path:
        """Why the training failed, if it did so in a way that would repeat itself; removed when it is started again."""
        return self.path / "failure.txt"

    @property
    def report_text_file(self) -> Path:
        return self.path / "report.md"

    def stage(self, number: int) -> Path:
        return self.path / f"stage{number}"

    @property
    def complete(self) -> bool:
        """Whether the run is finished: the evaluation is written last, before the report."""
        return self.evaluation_file.exists()

    @property
    def measures(self) -> dict[str, float]:
        """The metrics of `evaluation.json` by their flat names."""
        return {name: value for name, value in self.evaluation.items() if not isinstance(value, str)}

    @property
    def remarks(self) -> dict[str, str]:
        """The texts of `evaluation.json`: about the corrupted set, the baseline and the transfer protocols."""
        return {name: value for name, value in self.evaluation.items() if isinstance(value, str)}

    @property
    def evaluation(self) -> dict[str, float | str]:
        """All of `evaluation.json`, each value checked to be a number, or a text where the name says so."""
        values = read_json(self.evaluation_file)
        try:
            for name, value in values.items():
                check_value(value, str if name.rpartition("/")[2] in _REMARKS else float, name)
        except ValueError as error:
            raise RequestError(
                f"{self.evaluation_file} is damaged ({error}); evaluate the run again after deleting the file, with "
                f"`supcon train --resume --out {self.path}`."
            ) from error
        return values

    @property
    def recipe(self) -> dict[str, Any]:
        """`recipe.yaml` as plain values."""
        return read_own_yaml(self.recipe_file)

    def read_json(self, path: Path) -> dict[str, Any]:
        """The values of one of the run's JSON files, by name."""
        return read_json(path)

    def curves(self, number: int) -> dict[str, list[tuple[int, float]]]:
        """`metrics.csv` of a stage as (epoch, value) pairs by name; empty if the stage did not run."""
        curves: dict[str, list[tuple[int, float]]] = {}
        for epoch, row in read_metrics(self.stage(number) / "metrics.csv").items():
            for name, value in row.items():
                curves.setdefault(name, []).append((epoch, value))
        return curves


def refuse_existing(path: Path) -> None:
    """Raises an error if the folder is not empty, since no run is overwritten, or if nothing can be written there."""
    with disk_errors(path):
        if path.is_file():
            raise RequestError(f"{path} is a file; choose a folder for the run with --out.")
        if not path.exists() or _only_begun(path):
            try_to_write(path)
            return
    if Run(path).recipe_file.exists():
        raise RequestError(
            f"{path} already exists; continue that run with --resume, or choose another folder with --out."
        )
    raise RequestError(f"{path} is not empty and is not a run; choose another folder with --out.")


def _only_begun(path: Path) -> bool:
    """Whether a folder is empty, or has only what a process wrote that was killed before the folder was a run.

    `environment.json` is written first and `recipe.yaml`, which makes the folder a run, last.
    """
    names = {entry.name for entry in path.iterdir() if not entry.name.endswith(".partial")}
    return not names or names == {"environment.json"} or names == {"environment.json", "splits.csv"}


def create_run(path: Path) -> Run:
    """Creates the folder of a run; an existing run is never overwritten."""
    refuse_existing(path)
    with disk_errors(path):
        path.mkdir(parents=True, exist_ok=True)
    return Run(path)


def open_run(path: Path) -> Run:
    """The run in an existing folder, finished or not."""
    run = Run(path)
    if not run.recipe_file.exists():
        raise RequestError(_no_run(path))
    return run


def _no_run(path: Path) -> str:
    """Why a path is not a run, with advice that works there: training starts only in new or empty folders."""
    if path.is_file():
        return f"{path} is a file; give the folder of a run."
    if not path.exists():
        return missing_folder(path, f"`supcon train --out {path}` creates a run there")
    if path.is_dir() and _only_begun(path):
        return f"{path} is not a run, it has no recipe.yaml; `supcon train --out {path}` creates one."
    inside = _runs_in(path)
    advice = f"give a run inside it, such as {path / inside[0]}" if inside else "give the folder of a run"
    return f"{path} is not a run, it has no recipe.yaml; {advice}."


def missing_folder(path: Path, advice: str) -> str:
    """Says that a run's folder does not exist, and names the most similar run beside it, or else gives the advice."""
    near = difflib.get_close_matches(path.name, _runs_in(path.parent), n=1)
    return f"There is no folder {path}; " + (f"did you mean {path.parent / near[0]}?" if near else f"{advice}.")


def _runs_in(folder: Path) -> list[str]:
    """The names of the runs that are directly in a folder."""
    try:
        return sorted(entry.name for entry in folder.iterdir() if Run(entry).recipe_file.is_file())
    except OSError:  # no folder, or one that must not be read: then there is nothing to name
        return []


def open_complete_run(path: Path) -> Run:
    """The finished run in an existing folder."""
    run = open_run(path)
    if run.failure_file.is_file():
        raise RequestError(f"The run {path} failed: {read_text(run.failure_file, TRAIN_AGAIN, TABLE_LIMIT).strip()}")
    if not run.complete:
        raise RequestError(f"The run {path} is not finished; continue it with `supcon train --resume --out {path}`.")
    return run


@contextmanager
def locked(run: Run) -> Iterator[None]:
    """Locks the folder against other processes; the system releases the lock if the process dies."""
    try:
        folder = os.open(run.path, os.O_RDONLY)
    except OSError as error:
        raise RequestError(f"{run.path} cannot be opened: {system_reason(error)}; give an existing run.") from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise RequestError(f"Another process is working on {run.path}; wait for it or choose another --out.") from error
    else:
        yield
    finally:
        os.close(folder)
