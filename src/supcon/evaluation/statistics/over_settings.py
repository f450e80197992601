"""A measure as one setting changes over runs: accuracy by share of wrong labels, or by how many images there are.

Free of torch.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from supcon.base.errors import RequestError
from supcon.evaluation.statistics.over_seeds import over_seeds


class StudyPoint(NamedTuple):
    """The runs that share a value of the setting."""

    setting: float
    mean: float
    deviation: float
    """Sample standard deviation over the runs; not a number for a single one."""
    runs: int


def study_curve(runs: Iterable[tuple[float, Mapping[str, float]]], measure: str = "test/top1") -> list[StudyPoint]:
    """Mean and spread of `measure` for each value of a setting, from (value, measures) of every run, in rising order.

    >>> [tuple(point[:2]) for point in study_curve([(0.4, {"test/top1": 0.5}), (0.0, {"test/top1": 0.75})])]
    [(0.0, 0.75), (0.4, 0.5)]
    """
    groups: dict[float, list[Mapping[str, float]]] = {}
    for value, measures in runs:
        groups.setdefault(value, []).append(measures)
    for value, group in groups.items():
        if not all(measure in measures for measures in group):
            raise RequestError(f"A run at {value:g} has no measure {measure}; evaluate it first.")
    return [StudyPoint(value, *over_seeds(groups[value])[measure]) for value in sorted(groups)]
