"""A metric as a function of one setting: accuracy by label noise, or by the number of training images.

Imports no torch.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from supcon.base.errors import RequestError
from supcon.evaluation.statistics.over_seeds import over_seeds


class StudyPoint(NamedTuple):
    """The runs with the same value of the setting."""

    setting: float
    mean: float
    deviation: float
    """Sample standard deviation over the runs; NaN for a single one."""
    runs: int


def study_curve(runs: Iterable[tuple[float, Mapping[str, float]]], measure: str = "test/top1") -> list[StudyPoint]:
    """Mean and standard deviation of `measure` for each value of a setting, in ascending order.

    `runs` gives (value of the setting, metrics) of every run.

    >>> [tuple(point[:2]) for point in study_curve([(0.4, {"test/top1": 0.5}), (0.0, {"test/top1": 0.75})])]
    [(0.0, 0.75), (0.4, 0.5)]
    """
    groups: dict[float, list[Mapping[str, float]]] = {}
    for value, measures in runs:
        groups.setdefault(value, []).append(measures)
    for value, group in groups.items():
        if not all(measure in measures for measures in group):
            raise RequestError(f"A run with the value {value:g} has no metric {measure}; evaluate it first.")
    return [StudyPoint(value, *over_seeds(groups[value])[measure]) for value in sorted(groups)]
