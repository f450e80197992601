"""The table of many runs: one row a run, with the settings that differ and the main metrics."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from supcon.report.run_results import RunResults
from supcon.report.tables.measure_names import Measure, describe
from supcon.report.tables.settings import differences, setting

COLUMNS = ("test/top1", "test/map", "test/knn_top1", "test/knn_map", "test/ece", "test/nll", "seconds/stage1")


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """One run."""

    name: str
    settings: list[Any]
    """Values of the settings that differ, None where it has no such setting."""

    values: list[float]
    texts: list[str]
    intervals: list[str]
    """Of each value; empty where there is none."""


@dataclass(frozen=True, kw_only=True)
class RunTable:
    """All runs."""

    settings: list[str]
    measures: list[Measure]
    rows: list[RunRow]


def run_table(runs: Sequence[RunResults]) -> RunTable:
    """Every run with its changed settings, its seed if that differs, and the metrics that any run has."""
    changed = differences([run.recipe for run in runs])
    seeds = [setting(run.recipe, "seed") for run in runs]
    if len(set(seeds)) > 1:
        changed["seed"] = seeds
    measures = [describe(name) for name in COLUMNS if any(name in run.measures for run in runs)]
    rows = [_row(run, [values[index] for values in changed.values()], measures) for index, run in enumerate(runs)]
    return RunTable(settings=list(changed), measures=measures, rows=rows)


def _row(run: RunResults, settings: list[Any], measures: Sequence[Measure]) -> RunRow:
    values = [run.measures.get(measure.name, math.nan) for measure in measures]
    return RunRow(
        name=run.name,
        settings=settings,
        values=values,
        texts=["–" if math.isnan(value) else m.text(value) for m, value in zip(measures, values, strict=True)],
        intervals=[interval_text(run, measure) for measure in measures],
    )


def interval_text(run: RunResults, measure: Measure) -> str:
    """The interval that the evaluation has measured; empty if it has none."""
    ends = [run.measures.get(f"{measure.name}_{end}") for end in ("low", "high")]
    return " to ".join(measure.text(end) for end in ends if end is not None)
