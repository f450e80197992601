"""The values of an experiment's plot; `chart_plot` draws them for the HTML page, `chart_svg` for a file."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["lines", "bars", "box", "matrix"]


@dataclass(frozen=True, kw_only=True)
class ChartPoint:
    """One setting: our values, and the paper's if it has one."""

    at: float | str
    mean: float
    deviation: float
    published: float | None = None


@dataclass(frozen=True, kw_only=True)
class ChartSeries:
    """Points that belong together."""

    name: str
    points: list[ChartPoint]

    @property
    def has_paper(self) -> bool:
        return any(point.published is not None for point in self.points)


@dataclass(frozen=True, kw_only=True)
class Chart:
    """One plot."""

    kind: Kind
    title: str
    x_title: str
    y_title: str
    percent: bool
    """Whether values are fractions that are shown in percent."""
    series: list[ChartSeries]
    log_x: bool = False
    """Whether the horizontal axis of lines is logarithmic."""
    ratio: bool = False
    """Whether the values of lines are ratios: their axis is logarithmic, with a line at 1."""

    @property
    def factor(self) -> float:
        return 100.0 if self.percent else 1.0

    @property
    def points(self) -> list[ChartPoint]:
        """The points of all series."""
        return [point for series in self.series for point in series.points]

    @property
    def columns(self) -> list[float | str]:
        """All positions of all series, in the order of their first appearance."""
        return list(dict.fromkeys(point.at for point in self.points))

    @property
    def is_numeric(self) -> bool:
        """Whether positions are numbers rather than names."""
        return all(isinstance(place, int | float) for place in self.columns)

    @property
    def value_title(self) -> str:
        """Title of the axis of the values, with their unit."""
        return f"{self.y_title}, %" if self.percent else self.y_title

    @property
    def has_paper(self) -> bool:
        return any(series.has_paper for series in self.series)

    @property
    def note(self) -> str:
        """What a reader has to know about the marks of the plot."""
        if self.kind == "box":
            return "Points: the settings. Box: median and quartiles; whiskers: at most 1.5 times as long as the box."
        if self.kind == "matrix":
            panels = "every panel" if self.has_paper else "the panel"
            return f"{self.value_title}. Colours go from the lowest to the highest value of {panels}."
        single = [math.isnan(point.deviation) for point in self.points if not math.isnan(point.mean)]
        if all(single):
            return "A single seed each."
        return f"Error bars: standard deviation over seeds{'; without one: a single seed' if any(single) else ''}."

    def ours(self, points: Iterable[ChartPoint]) -> list[float]:
        """Our values in the plot's unit."""
        return [self.factor * point.mean for point in points]

    def deviations(self, points: Iterable[ChartPoint]) -> list[float]:
        """Standard deviations in the plot's unit; NaN for a single seed."""
        return [self.factor * point.deviation for point in points]

    def paper(self, points: Iterable[ChartPoint]) -> list[float]:
        """The paper's values in the plot's unit; NaN where it has none."""
        return [math.nan if point.published is None else self.factor * point.published for point in points]


def value_text(value: float) -> str:
    """A value as it is written on a bar or in a cell; a dash if there is none.

    >>> value_text(78.65), value_text(math.nan)
    ('78.7', '–')
    """
    return "–" if math.isnan(value) else f"{value:.1f}"


def matrix_panels(chart: Chart) -> dict[str, list[list[float]]]:
    """The panels of a matrix by name: the paper's values, if it has any, and ours; NaN where there is none."""
    ours, paper = [], []
    for series in chart.series:
        found = {point.at: point for point in series.points}
        nothing = ChartPoint(at="", mean=math.nan, deviation=math.nan)
        row = [found.get(place, nothing) for place in chart.columns]
        ours.append(chart.ours(row))
        paper.append(chart.paper(row))
    return {"paper": paper, "ours": ours} if chart.has_paper else {"ours": ours}
