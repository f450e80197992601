"""Groups of runs for a comparison: runs that differ only by seed are pooled, with mean and standard deviation."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePath

import numpy as np
from jaxtyping import Float

from supcon.report.run_results import RunResults
from supcon.report.tables.measure_names import Measure, describe, family_place, is_headline
from supcon.report.tables.settings import repeatable

SEPARATORS = "-_. "


@dataclass(frozen=True, kw_only=True, eq=False)
class RunGroup:
    """Runs of one recipe with different seeds."""

    title: str
    runs: tuple[RunResults, ...]

    @property
    def first(self) -> RunResults:
        return self.runs[0]

    @property
    def right(self) -> Float[np.ndarray, " image"]:
        """The share of the runs that are correct, for each test image."""
        return np.asarray(np.mean([run.outputs.correct for run in self.runs], axis=0))


@dataclass(frozen=True, kw_only=True)
class Pooled:
    """One metric over the runs of a group."""

    mean: float
    deviation: float
    """The sample standard deviation over runs; NaN for a single run."""

    runs: int

    def text(self, measure: Measure) -> str:
        """The mean, followed by ± the standard deviation if there are several runs."""
        if math.isnan(self.deviation):
            return measure.text(self.mean)
        return f"{measure.text(self.mean)} ± {measure.spread(self.deviation)}"


@dataclass(frozen=True, kw_only=True)
class ComparisonRow:
    """One metric of every group."""

    measure: Measure
    values: tuple[Pooled, ...]
    best: tuple[int, ...]
    """Indices of the best groups; empty if all are equal or neither higher nor lower is better."""


def group_runs(runs: Sequence[RunResults]) -> list[RunGroup]:
    """The runs grouped by recipe without the seed, in the order in which the recipes first appear."""
    if len(runs) < 2:
        raise ValueError(f"A comparison needs at least two runs, got {len(runs)}; add another.")
    groups: dict[str, list[RunResults]] = {}
    for run in runs:
        groups.setdefault(json.dumps(repeatable(run.recipe), sort_keys=True, default=str), []).append(run)
    plain = [_title(group) for group in groups.values()]
    with_folder = [_with_folder(title, group) for title, group in zip(plain, groups.values(), strict=True)]
    titles = _distinct(
        [long if plain.count(title) > 1 else title for title, long in zip(plain, with_folder, strict=True)]
    )
    return [RunGroup(title=title, runs=tuple(group)) for title, group in zip(titles, groups.values(), strict=True)]


def comparison_rows(runs: Sequence[RunResults]) -> list[ComparisonRow]:
    """A row for each metric that any run has, with each group's pooled value and the best groups."""
    groups = group_runs(runs)
    names = dict.fromkeys(name for run in runs for name in run.measures if is_headline(name))
    return [_row(describe(name), groups) for name in sorted(names, key=family_place)]


def _row(measure: Measure, groups: Sequence[RunGroup]) -> ComparisonRow:
    values = tuple(pool([run.measures.get(measure.name, math.nan) for run in group.runs]) for group in groups)
    return ComparisonRow(measure=measure, values=values, best=_best(measure, [value.mean for value in values]))


def pool(values: Sequence[float]) -> Pooled:
    """Mean and standard deviation, ignoring NaN.

    >>> pool([0.5, 0.7, float("nan")])
    Pooled(mean=0.6, deviation=0.141..., runs=2)
    """
    known = [value for value in values if not math.isnan(value)]
    return Pooled(
        mean=float(np.mean(known)) if known else math.nan,
        deviation=float(np.std(known, ddof=1)) if len(known) > 1 else math.nan,
        runs=len(known),
    )


def _best(measure: Measure, means: Sequence[float]) -> tuple[int, ...]:
    known = [mean for mean in means if not math.isnan(mean)]
    if not measure.better or len(set(known)) < 2:
        return ()
    best = max(known) if measure.better == "higher" else min(known)
    return tuple(index for index, mean in enumerate(means) if mean == best)


def _title(runs: Sequence[RunResults]) -> str:
    """A run's name; for several runs, the common prefix of their names."""
    if len(runs) == 1:
        return runs[0].name
    letters = zip(*(run.name for run in runs), strict=False)
    shared = "".join(alike[0] for alike in takewhile(lambda alike: len(set(alike)) == 1, letters))
    return shared.rstrip(SEPARATORS).removesuffix("seed").rstrip(SEPARATORS) or runs[0].name


def _with_folder(title: str, runs: Sequence[RunResults]) -> str:
    """The title with the folder that the runs are in."""
    folder = PurePath(runs[0].path).parent.name
    return f"{title} ({folder})" if folder else title


def _distinct(titles: Sequence[str]) -> list[str]:
    """The titles, with a number after those that occurred before."""
    return [
        title if titles.index(title) == index else f"{title} ({titles[:index].count(title) + 1})"
        for index, title in enumerate(titles)
    ]
