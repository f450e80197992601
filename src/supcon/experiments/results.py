"""Finished cells sorted into the rows of an experiment; imports torch only for corruption errors."""

import math
import statistics
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from supcon.experiments.cell import Cell, Request
from supcon.experiments.experiment import Changes, Experiment, Setting
from supcon.experiments.finished_cells import FinishedCell

CHOSEN_BY = "validation/top1"
_CORRUPTION_ERRORS = ("corruptions/mce", "corruptions/relative_mce")


@dataclass(frozen=True, kw_only=True)
class Row:
    """One setting with its finished cells."""

    setting: Setting
    cells: tuple[FinishedCell, ...]
    """The cells of the chosen candidate, by seed; failed ones are in `failures`."""
    failures: tuple[FinishedCell, ...] = ()
    chosen: Changes = field(default_factory=dict)
    trials: tuple[FinishedCell, ...] = ()
    """The cells by which the candidate was chosen; empty if there is one candidate only."""
    encoders: frozenset[str] = frozenset()
    """Hashes of the trainings of its encoders: rows that differ in stage 2 alone have the same."""

    @property
    def complete(self) -> bool:
        """Whether its candidate is chosen and a cell of it is finished, with any seed."""
        candidates = len(self.setting.candidates)
        return bool(self.cells or self.failures) and (candidates == 1 or len(self.trials) == candidates)

    def with_seeds(self, seeds: Container[int]) -> "Row":
        """The row with the cells of some seeds only."""
        return replace(self, cells=tuple(cell for cell in self.cells if cell.seed in seeds))

    def values(self, measure: str) -> list[float]:
        """The finite values of a measure, one per seed."""
        found = [cell.measures[measure] for cell in self.cells if measure in cell.measures]
        return [value for value in found if math.isfinite(value)]

    def mean(self, measure: str) -> float:
        values = self.values(measure)
        return statistics.fmean(values) if values else math.nan

    def deviation(self, measure: str) -> float:
        """Sample standard deviation over seeds; NaN for a single seed."""
        values = self.values(measure)
        return statistics.stdev(values) if len(values) > 1 else math.nan

    def images(self, measure: str) -> NDArray[np.float64] | None:
        """The mean over seeds for each test image; None if the measure is not a mean over images of one test set."""
        wanted = {"test/top1": "right_images", "corruptions/mean_top1": "corrupted_images"}.get(measure)
        found = [getattr(cell, wanted) for cell in self.cells] if wanted else []
        if not found or any(values is None for values in found) or len({cell.test_set for cell in self.cells}) > 1:
            return None
        return np.asarray(np.mean(found, axis=0))


@dataclass(frozen=True, kw_only=True)
class Results:
    """The finished part of an experiment at a scale."""

    experiment: Experiment
    request: Request
    rows: tuple[Row, ...]
    missing: int
    """Number of cells of the request that are not finished."""

    @property
    def complete(self) -> bool:
        """Whether every row has a finished cell: enough for a verdict, whatever the number of seeds asked for."""
        return all(row.complete for row in self.rows)

    def has_the_papers_unit(self, measure: str) -> bool:
        """Corruption errors are in units of AlexNet's at the paper's scale only, so that elsewhere a difference from
        the paper's value means nothing."""
        return self.request.scale.is_paper or measure not in _CORRUPTION_ERRORS

    def row(self, name: str) -> Row | None:
        """The row of a setting; None if none of its cells is finished."""
        return next((row for row in self.rows if row.setting.name == name and (row.cells or row.failures)), None)

    @property
    def cells(self) -> list[FinishedCell]:
        """All cells, also those of candidates that were not chosen."""
        found = {cell.key: cell for row in self.rows for cell in (*row.trials, *row.cells, *row.failures)}
        return list(found.values())


def needed_cells(experiment: Experiment, request: Request, finished: Mapping[str, FinishedCell]) -> list[Cell]:
    """The cells of a table: all candidates with one seed, and the chosen candidate with all seeds.

    Until all candidates of a row are finished, only those; a row with a single candidate has nothing to wait for.
    """
    needed: list[Cell] = []
    for setting in request.settings(experiment):
        trials = _trials(setting, request)
        needed += trials
        if not trials or all(is_finished(cell, finished) for cell in trials):
            best = _chosen(setting, request, finished)
            needed += [request.cell(setting, best, seed) for seed in request.seeds]
    return needed


def _trials(setting: Setting, request: Request) -> list[Cell]:
    """Every candidate with one seed; without the extras, which are measured for the chosen one only."""
    if len(setting.candidates) == 1:
        return []
    plain = replace(setting, extras=())
    return [request.cell(plain, candidate, request.seed_of_choice) for candidate in setting.candidates]


def is_finished(cell: Cell, finished: Mapping[str, FinishedCell]) -> bool:
    """Whether all extras of the cell were measured, or its training failed."""
    found = finished.get(cell.key)
    return found is not None and (bool(found.failure) or not cell.lacks(found.measures))


def gather(experiment: Experiment, request: Request, finished: Mapping[str, FinishedCell]) -> Results:
    """The rows of an experiment from the finished cells."""
    rows = tuple(_row(setting, request, finished) for setting in request.settings(experiment))
    missing = {cell.key for cell in needed_cells(experiment, request, finished) if not is_finished(cell, finished)}
    results = Results(experiment=experiment, request=request, rows=rows, missing=len(missing))
    return _with_corruption_errors(_with_derived(results))


def _with_derived(results: Results) -> Results:
    derive, scale = results.experiment.derive, results.request.scale
    return _with_cells(results, lambda cell: replace(cell, measures={**cell.measures, **derive(cell.measures, scale)}))


def _with_cells(results: Results, change: Callable[[FinishedCell], FinishedCell]) -> Results:
    rows = tuple(replace(row, cells=tuple(change(cell) for cell in row.cells)) for row in results.rows)
    return replace(results, rows=rows)


def _row(setting: Setting, request: Request, finished: Mapping[str, FinishedCell]) -> Row:
    best = _chosen(setting, request, finished)
    # Finished cells with other seeds, from other experiments, are used too: they make the mean more precise.
    seeds = sorted({*request.seeds, *(cell.seed for cell in finished.values())})
    cells = [request.cell(setting, best, seed) for seed in seeds]
    done = [cell for cell in cells if is_finished(cell, finished)]
    found = [finished[cell.key] for cell in done]
    trials = [finished[cell.key] for cell in _trials(setting, request) if cell.key in finished]
    return Row(
        setting=setting,
        cells=tuple(cell for cell in found if not cell.failure),
        failures=tuple(cell for cell in found if cell.failure),
        chosen=best,
        trials=tuple(trials),
        encoders=frozenset(cell.stage1_key for cell in done),
    )


def _chosen(setting: Setting, request: Request, finished: Mapping[str, FinishedCell]) -> Changes:
    """The candidate with the best validation accuracy; the first of equal ones."""

    def score(candidate: Changes) -> float:
        found = finished.get(request.cell(setting, candidate, request.seed_of_choice).key)
        return found.measures.get(CHOSEN_BY, -1.0) if found else -1.0

    return setting.candidates[0] if len(setting.candidates) == 1 else max(setting.candidates, key=score)


def _with_corruption_errors(results: Results) -> Results:
    """Adds mCE and relative mCE, in units of AlexNet at the paper's scale and of cross-entropy's mean elsewhere."""
    if "corruptions/mce" not in results.experiment.measures(results.request.scale):
        return results
    from supcon.evaluation import (
        ALEXNET,
        CORRUPTIONS,
        errors_of,
        mean_corruption_error,
        relative_mean_corruption_error,
        run_as_baseline,
    )

    unit = ALEXNET
    if not results.request.scale.is_paper:
        row = next((row for row in results.rows if row.setting.method == "cross-entropy" and row.cells), None)
        if row is None:
            return results
        every = [errors_of(cell.measures) for cell in row.cells]
        errors = {name: [statistics.fmean(cell[name]) for cell in every] for name in every[0]}
        unit = run_as_baseline("cross-entropy", 1 - row.mean("test/top1"), errors)
    names = [name for name in CORRUPTIONS if name in unit.errors]
    # A corruption that costs the unit almost no accuracy leaves almost nothing to divide by.
    costly = [name for name in names if unit.errors[name] > unit.clean + 0.01]

    def measured(cell: FinishedCell) -> FinishedCell:
        errors, clean = errors_of(cell.measures), 1 - cell.measures["test/top1"]
        relative = relative_mean_corruption_error(errors, clean, unit, costly) if costly else math.nan
        found = dict(zip(_CORRUPTION_ERRORS, (mean_corruption_error(errors, unit, names), relative), strict=True))
        return replace(cell, measures={**cell.measures, **found})

    return _with_cells(results, measured)
