"""The plot of an experiment for the HTML page; `chart_svg` draws the same as an SVG file."""

import math
from collections.abc import Sequence
from typing import Any

from supcon.report.plots.chart import Chart, ChartPoint, matrix_panels, value_text
from supcon.report.plots.figure import Figure, Plot, Trace, axis, figure, label, numbers, run_colour

_LONGEST = 60
"""Characters of a name; plots of experiments are as wide as the page."""


def chart_plot(chart: Chart) -> Plot:
    """The chart as a plot of the page."""
    draw = {"bars": _bars, "box": _boxes, "matrix": _matrix}.get(chart.kind, _lines)
    return Plot(title=chart.title, alt=_alt(chart), figure=draw(chart))


def _alt(chart: Chart) -> str:
    words = "; ".join(
        f"{series.name}: " + ", ".join(_point_in_words(chart, point) for point in series.points)
        for series in chart.series
    )
    return f"{chart.value_title} by {chart.x_title or 'setting'}. {words}."


def _point_in_words(chart: Chart, point: ChartPoint) -> str:
    paper = "" if point.published is None else f" (paper: {chart.factor * point.published:.4g})"
    return f"{chart.factor * point.mean:.4g} at {point.at}{paper}"


def _lines(chart: Chart) -> Figure:
    traces: list[Trace] = []
    for place, series in enumerate(chart.series):
        shared = {"x": [point.at for point in series.points], "type": "scatter", "mode": "lines+markers"}
        line = {"color": run_colour(place), "width": 2}
        ours = {
            "name": label(f"{series.name}{', ours' if series.has_paper else ''}", _LONGEST),
            "y": numbers(chart.ours(series.points)),
            "error_y": _errors(chart, series.points),
            "line": line,
        }
        traces.append(shared | ours)
        if series.has_paper:
            paper = {
                "name": label(f"{series.name}, paper", _LONGEST),
                "y": numbers(chart.paper(series.points)),
                "marker": {"symbol": "x"},
                "line": line | {"dash": "dot"},
            }
            traces.append(shared | paper)
    xaxis = axis(chart.x_title, **({} if chart.is_numeric else {"type": "category"}))
    if chart.log_x:
        xaxis |= {"type": "log", "tickvals": chart.columns}
    if not chart.ratio:
        return _framed(traces, chart, xaxis=xaxis, yaxis=axis(chart.value_title))
    equal = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 1, "y1": 1}
    equal |= {"line": {"color": "var(--line-strong)", "dash": "dash"}}
    return _framed(traces, chart, xaxis=xaxis, yaxis=axis(chart.value_title, type="log"), shapes=[equal])


def _bars(chart: Chart) -> Figure:
    # Without the paper's values points, whose axis need not begin at zero, where small differences could not be seen.
    look = (
        {"type": "bar", "orientation": "h", "textposition": "inside", "insidetextanchor": "start"}
        if chart.has_paper  # at the other end of the bar there is the error bar
        else {"type": "scatter", "mode": "markers+text", "textposition": "top center"}
    )
    shared = look | {"y": [label(str(point.at), _LONGEST) for point in chart.points]}
    ours = {
        "name": "ours",
        "x": numbers(chart.ours(chart.points)),
        "text": [value_text(value) for value in chart.ours(chart.points)],
        "error_x": _errors(chart, chart.points),
        "marker": {"color": run_colour(0)},
    }
    paper = {
        "name": "paper",
        "x": numbers(chart.paper(chart.points)),
        "text": [value_text(value) for value in chart.paper(chart.points)],
        "marker": {"color": "var(--second)"},
    }
    traces = [shared | paper, shared | ours] if chart.has_paper else [shared | ours]
    from_top = axis("", type="category", autorange="reversed")
    return _framed(traces, chart, xaxis=axis(chart.value_title), yaxis=from_top)


def _boxes(chart: Chart) -> Figure:
    traces: list[Trace] = [
        {
            "type": "box",
            "name": label(series.name, _LONGEST),
            "y": numbers(chart.ours(series.points)),
            "text": [str(point.at) for point in series.points],
            "boxpoints": "all",
            "marker": {"color": run_colour(place)},
        }
        for place, series in enumerate(chart.series)
    ]
    xaxis = axis(chart.note, type="category")
    return figure(traces, xaxis=xaxis, yaxis=axis(chart.value_title), showlegend=False)


def _matrix(chart: Chart) -> Figure:
    panels = matrix_panels(chart)
    traces: list[Trace] = []
    layout: dict[str, Any] = {}
    for place, (name, values) in enumerate(panels.items(), 1):
        number = "" if place == 1 else str(place)
        traces.append(_panel(chart, values, f"y{number}"))
        domain = [1 - (place - 0.1) / len(panels), 1 - (place - 1) / len(panels)]
        layout[f"yaxis{number}"] = axis("", domain=domain, autorange="reversed")
        layout.setdefault("annotations", []).append(_panel_title(name, domain[1]))
    below = axis(f"{chart.x_title}<br>{chart.note}" if chart.x_title else chart.note, anchor=traces[-1]["yaxis"])
    return figure(traces, xaxis=below, showlegend=False, **layout)


def _panel(chart: Chart, values: list[list[float]], yaxis: str) -> Trace:
    return {
        "type": "heatmap",
        "yaxis": yaxis,
        "x": [label(str(place), _LONGEST) for place in chart.columns],
        "y": [label(series.name, _LONGEST) for series in chart.series],
        "z": [numbers(row) for row in values],
        "text": [[value_text(value) for value in row] for row in values],
        "texttemplate": "%{text}",
        "colorscale": [[0, "var(--right-0)"], [1, "var(--right-1)"]],
        "showscale": False,
    }


def _panel_title(name: str, top: float) -> dict[str, Any]:
    place = {"xref": "paper", "x": 0, "xanchor": "left", "yref": "paper", "y": top, "yanchor": "bottom"}
    return place | {"text": f"<b>{name}</b>", "showarrow": False}


def _framed(traces: list[Trace], chart: Chart, **axes: Any) -> Figure:
    """A figure whose legend explains its error bars."""
    framed = figure(traces, showlegend=True, **axes)
    framed["layout"]["legend"] |= {"title": {"text": chart.note, "side": "top", "font": {"size": 12}}}
    return framed


def _errors(chart: Chart, points: Sequence[ChartPoint]) -> dict[str, object]:
    # plotly.js draws a bar of length 0 for null, which would read as no deviation, but nothing for a text.
    sizes = ["one seed" if math.isnan(size) else size for size in chart.deviations(points)]
    return {"type": "data", "array": sizes, "thickness": 1}
