"""A chart as SVG, for Markdown files; needs matplotlib, which the extra `reproduce` installs."""

import io
import math
import textwrap
from typing import Any, Literal

from supcon.base.errors import RequestError
from supcon.report.plots.chart import Chart, matrix_values

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#1c2127")
"""The colours of runs on the page."""
_GREY = "#93a1af"


def chart_svg(chart: Chart) -> str:
    """The chart as the text of an SVG file: the same text for the same values."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise RequestError("The plots need matplotlib; install it with `pip install 'supcon[reproduce]'`.") from error

    with matplotlib.rc_context({"svg.hashsalt": "supcon", "svg.fonttype": "path", "font.size": 10}):
        figure = Figure(figsize=(7.2, 4.2), layout="constrained")
        axes = figure.add_subplot()
        {"bars": _bars, "box": _boxes, "matrix": _matrix}.get(chart.kind, _lines)(axes, chart)
        axes.set_title(chart.title, fontsize=11, loc="left")
        if chart.kind != "matrix":
            values: Literal["x", "y"] = "x" if chart.kind == "bars" else "y"
            axes.set(**{f"{values}label": f"{chart.y_title}{', %' if chart.percent else ''}"})
            axes.grid(axis=values, color="#e6e8eb")
            axes.set_axisbelow(True)
            axes.spines[["top", "right"]].set_visible(False)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def _lines(axes: Any, chart: Chart) -> None:
    columns = chart.columns
    numeric = all(isinstance(place, int | float) for place in columns)
    for place, series in enumerate(chart.series):
        x = [point.at if numeric else columns.index(point.at) for point in series.points]
        y = [chart.factor * point.mean for point in series.points]
        spread = [0.0 if math.isnan(p.deviation) else chart.factor * p.deviation for p in series.points]
        colour = _COLOURS[place % len(_COLOURS)]
        axes.errorbar(x, y, yerr=spread, color=colour, marker="o", capsize=3, label=series.name)
        paper = [math.nan if p.published is None else chart.factor * p.published for p in series.points]
        if not all(map(math.isnan, paper)):
            axes.plot(x, paper, color=colour, linestyle=":", marker="x", label=f"{series.name} (paper)")
    if numeric and _spans_decades([float(place) for place in columns]):
        axes.set_xscale("log")
        axes.set_xticks([float(place) for place in columns], [f"{place:g}" for place in columns], minor=False)
        axes.minorticks_off()
    elif not numeric:
        axes.set_xticks(range(len(columns)), [str(place) for place in columns])
    axes.set_xlabel(chart.x_title)
    axes.legend(frameon=False)


def _spans_decades(values: list[float]) -> bool:
    return len(values) > 2 and min(values) > 0 and max(values) / min(values) >= 8


def _bars(axes: Any, chart: Chart) -> None:
    points = [point for series in chart.series for point in series.points]
    has_paper = any(point.published is not None for point in points)
    height = 0.38 if has_paper else 0.6
    for place, point in enumerate(points):
        spread = 0.0 if math.isnan(point.deviation) else chart.factor * point.deviation
        centre = place + (height / 2 if has_paper else 0)
        axes.barh(centre, chart.factor * point.mean, height, xerr=spread or None, color=_COLOURS[0], capsize=3)
        end = chart.factor * point.mean + spread
        axes.text(end, centre, f"  {chart.factor * point.mean:.1f}", va="center", fontsize=8)
        if point.published is not None:
            axes.barh(place - height / 2, chart.factor * point.published, height, color=_GREY)
            axes.text(
                chart.factor * point.published,
                place - height / 2,
                f" {chart.factor * point.published:.1f} ",
                va="center",
                fontsize=8,
            )
    axes.set_yticks(range(len(points)), [str(point.at) for point in points])
    axes.invert_yaxis()
    if has_paper:
        from matplotlib.patches import Patch

        handles = [Patch(color=_GREY, label="paper"), Patch(color=_COLOURS[0], label="ours")]
        axes.legend(handles=handles, frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)


def _boxes(axes: Any, chart: Chart) -> None:
    values = [[chart.factor * point.mean for point in series.points] for series in chart.series]
    axes.boxplot(values, widths=0.4, medianprops={"color": _COLOURS[1]})
    axes.set_xticks(range(1, len(values) + 1), [series.name for series in chart.series])
    for place, some in enumerate(values, 1):
        axes.plot([place + 0.28] * len(some), some, "o", color=_COLOURS[0], alpha=0.6, markersize=4)


def _matrix(axes: Any, chart: Chart) -> None:
    values = [[chart.factor * value for value in row] for row in matrix_values(chart)]
    axes.imshow(values, cmap="Blues", aspect="auto", alpha=0.5)
    for row, some in enumerate(values):
        for column, value in enumerate(some):
            axes.text(column, row, "–" if math.isnan(value) else f"{value:.1f}", ha="center", va="center")
    axes.set_xticks(range(len(chart.columns)), [textwrap.fill(str(place), 14) for place in chart.columns])
    axes.set_yticks(range(len(chart.series)), [series.name for series in chart.series])
    axes.set_xlabel(chart.x_title)
