"""Mean and standard deviation of every metric over seeds of the same recipe. Imports no torch."""

import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from supcon.base.errors import RequestError


class OverSeeds(NamedTuple):
    """One metric over the seeds."""

    mean: float
    deviation: float
    """Sample standard deviation (divided by seeds - 1); NaN for a single seed."""
    seeds: int


def over_seeds(runs: Sequence[Mapping[str, float]]) -> dict[str, OverSeeds]:
    """Mean and standard deviation of each metric that all runs have, in the order of the first run.

    >>> over_seeds([{"test/top1": 0.5}, {"test/top1": 0.75}])["test/top1"].mean
    0.625
    """
    if not runs:
        raise RequestError("Metrics over seeds need at least one run, got none.")
    shared = [name for name in runs[0] if all(name in run for run in runs)]
    return {name: _over([run[name] for run in runs]) for name in shared}


def _over(values: Sequence[float]) -> OverSeeds:
    deviation = statistics.stdev(values) if len(values) > 1 else float("nan")
    return OverSeeds(statistics.fmean(values), deviation, len(values))
