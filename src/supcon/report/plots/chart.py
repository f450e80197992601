"""The plot of an experiment for the HTML page; `chart_svg` draws the same as an SVG file."""

import math
from dataclasses import dataclass
from typing import Literal

from supcon.report.plots.figure import Plot, Trace, axis, figure, label, numbers, run_colour

Kind = Literal["lines", "bars", "box", "matrix", "severity"]


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

    @property
    def factor(self) -> float:
        return 100.0 if self.percent else 1.0

    @property
    def columns(self) -> list[float | str]:
        """All positions of all series, in the order of their first appearance."""
        return list(dict.fromkeys(point.at for series in self.series for point in series.points))


def chart_plot(chart: Chart) -> Plot:
    """The chart as a plot of the page."""
    make = {"bars": _bars, "box": _boxes, "matrix": _matrix}.get(chart.kind, _lines)
    words = "; ".join(
        f"{series.name}: " + ", ".join(f"{chart.factor * point.mean:.4g} at {point.at}" for point in series.points)
        for series in chart.series
    )
    unit = {"ticksuffix": " %"} if chart.percent and chart.kind != "matrix" else {}
    numeric = all(isinstance(place, int | float) for place in chart.columns)
    return Plot(
        title=chart.title,
        alt=f"{chart.y_title} by {chart.x_title or 'setting'}. {words}.",
        figure=figure(
            make(chart),
            xaxis=axis(chart.x_title, **({} if numeric and chart.kind == "lines" else {"type": "category"})),
            yaxis=axis("" if chart.kind == "matrix" else chart.y_title, **unit),
            showlegend=chart.kind in ("lines", "bars"),
        ),
    )


def _lines(chart: Chart) -> list[Trace]:
    traces = []
    for place, series in enumerate(chart.series):
        shared = {"x": [point.at for point in series.points], "type": "scatter", "mode": "lines+markers"}
        line = {"color": run_colour(place), "width": 2}
        traces.append(
            shared
            | {
                "name": label(series.name, 40),
                "y": numbers([chart.factor * point.mean for point in series.points]),
                "error_y": _errors(chart, series),
                "line": line,
            }
        )
        if any(point.published is not None for point in series.points):
            traces.append(
                shared
                | {
                    "name": label(f"{series.name} (paper)", 40),
                    "y": numbers([chart.factor * _or_nan(point.published) for point in series.points]),
                    "line": line | {"dash": "dot"},
                }
            )
    return traces


def _bars(chart: Chart) -> list[Trace]:
    names = [label(str(point.at), 40) for series in chart.series for point in series.points]
    points = [point for series in chart.series for point in series.points]
    together = ChartSeries(name="", points=points)
    ours: Trace = {
        "type": "bar",
        "name": "ours",
        "x": names,
        "y": numbers([chart.factor * point.mean for point in points]),
        "error_y": _errors(chart, together),
        "marker": {"color": run_colour(0)},
    }
    paper: Trace = {
        "type": "bar",
        "name": "paper",
        "x": names,
        "y": numbers([chart.factor * _or_nan(point.published) for point in points]),
        "marker": {"color": "var(--second)"},
    }
    return [paper, ours] if any(point.published is not None for point in points) else [ours]


def _boxes(chart: Chart) -> list[Trace]:
    return [
        {
            "type": "box",
            "name": label(series.name, 40),
            "y": numbers([chart.factor * point.mean for point in series.points]),
            "text": [str(point.at) for point in series.points],
            "boxpoints": "all",
            "marker": {"color": run_colour(place)},
        }
        for place, series in enumerate(chart.series)
    ]


def _matrix(chart: Chart) -> list[Trace]:
    values = [numbers([chart.factor * value for value in row]) for row in matrix_values(chart)]
    return [
        {
            "type": "heatmap",
            "x": [label(str(place), 24) for place in chart.columns],
            "y": [label(series.name, 24) for series in chart.series],
            "z": values,
            "texttemplate": "%{z:.1f}",
            "colorscale": [[0, "var(--right-0)"], [1, "var(--right-1)"]],
            "showscale": False,
        }
    ]


def matrix_values(chart: Chart) -> list[list[float]]:
    """The mean of every series at every column; NaN if there is none."""
    rows = []
    for series in chart.series:
        found = {point.at: point.mean for point in series.points}
        rows.append([found.get(place, math.nan) for place in chart.columns])
    return rows


def _errors(chart: Chart, series: ChartSeries) -> dict[str, object]:
    sizes = numbers([chart.factor * point.deviation for point in series.points])
    return {"type": "data", "array": [size or 0 for size in sizes], "thickness": 1}


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value
