"""Differences of a metric between groups of runs, with intervals where both were tested on the same images."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from supcon.evaluation import difference_interval
from supcon.report.run_results import Outputs
from supcon.report.tables.measure_names import Measure, format_value, points
from supcon.report.tables.pooling import ComparisonRow, RunGroup


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A group's value minus that of the first group."""

    value: float
    low: float = math.nan
    """Ends of the 95 % interval of a paired bootstrap over the test images; NaN where there is none."""

    high: float = math.nan

    @property
    def sure(self) -> bool:
        """Whether the interval is away from 0."""
        return self.low > 0 or self.high < 0

    def text(self, measure: Measure) -> str:
        return _signed(self.value, measure)

    def interval(self, measure: Measure) -> str:
        """The interval in words; empty where there is none."""
        return "" if math.isnan(self.low) else f"{_signed(self.low, measure)} to {_signed(self.high, measure)}"


def paired_differences(
    row: ComparisonRow, groups: Sequence[RunGroup], comparable: Sequence[RunGroup]
) -> list[Difference | None]:
    """For every group after the first, how its value differs from the first's; None where either has no value."""
    first, found = row.values[0].mean, []
    for group, value in zip(groups[1:], row.values[1:], strict=True):
        difference = Difference(value=value.mean - first)
        if group in comparable:
            difference = _with_interval(difference, row.measure.name, group, groups[0])
        found.append(None if math.isnan(difference.value) else difference)
    return found


def _with_interval(difference: Difference, name: str, group: RunGroup, reference: RunGroup) -> Difference:
    ours, others = (_per_image(name, each) for each in (group, reference))
    if ours is None or others is None:
        return difference
    low, high = difference_interval(ours, others)
    return Difference(value=difference.value, low=low, high=high)


def _per_image(name: str, group: RunGroup) -> Float[np.ndarray, " image"] | None:
    """A metric that is a mean over images, as its terms, averaged over the runs of a group; None for others."""
    terms = {"test/top1": _correct, "test/nll": _log_loss, "test/brier": _brier}.get(name)
    if terms is None:
        return None
    values = np.mean([terms(run.outputs) for run in group.runs], axis=0)
    return values if np.isfinite(values).all() else None


def _correct(outputs: Outputs) -> Float[np.ndarray, " image"]:
    return outputs.correct.astype(np.float64)


def _log_loss(outputs: Outputs) -> Float[np.ndarray, " image"]:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(_of_true_class(outputs)))


def _brier(outputs: Outputs) -> Float[np.ndarray, " image"]:
    probabilities = outputs.probabilities.astype(np.float64)
    return np.asarray((probabilities**2).sum(axis=1) - 2 * _of_true_class(outputs) + 1)


def _of_true_class(outputs: Outputs) -> Float[np.ndarray, " image"]:
    return np.asarray(outputs.probabilities[np.arange(len(outputs.labels)), outputs.labels], dtype=np.float64)


def _signed(value: float, measure: Measure) -> str:
    if measure.kind == "share":
        return points(value)
    sign = "+" if value > 0 else "−" if value < 0 else ""
    return f"{sign}{format_value(abs(value), measure.kind)}"
