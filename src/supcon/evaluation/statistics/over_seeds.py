"""The same recipe with several seeds: mean and standard deviation of every measure. Free of torch."""

import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from supcon.base.errors import RequestError


class OverSeeds(NamedTuple):
    """One measure over the seeds."""

    mean: float
    deviation: float
    """Sample standard deviation (divided by seeds - 1); not a number for a single seed."""
    seeds: int


def over_seeds(runs: Sequence[Mapping[str, float]]) -> dict[str, OverSeeds]:
    """Mean and standard deviation of each measure that all runs have, in the order of the first.

    >>> over_seeds([{"test/top1": 0.5}, {"test/top1": 0.75}])["test/top1"].mean
    0.625
    """
    if not runs:
        raise RequestError("Measures over seeds need at least one run; give one.")
    shared = [name for name in runs[0] if all(name in run for run in runs)]
    return {name: _over([run[name] for run in runs]) for name in shared}


def _over(values: Sequence[float]) -> OverSeeds:
    deviation = statistics.stdev(values) if len(values) > 1 else float("nan")
    return OverSeeds(statistics.fmean(values), deviation, len(values))
