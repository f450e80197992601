"""A chart as SVG, for Markdown files; needs matplotlib, which the extra `reproduce` installs."""

import io
import math
import textwrap
from typing import Any, Literal

from supcon.base.errors import RequestError
from supcon.report.plots.chart import Chart, matrix_panels, value_text

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#1c2127")
"""The colours of runs on the page."""
_GREY = "#93a1af"
_SMALL = 8.5
"""Size of the letters of notes and of values at bars."""
_ROW = 56
"""Characters that fit side by side below a matrix."""


def chart_svg(chart: Chart) -> str:
    """The chart as the text of an SVG file: the same text for the same values."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise RequestError("The plots need matplotlib; install it with `pip install 'supcon[reproduce]'`.") from error

    with matplotlib.rc_context({"svg.hashsalt": "supcon", "svg.fonttype": "path", "font.size": 10}):
        figure = Figure(figsize=(7.2, _height(chart)), layout="constrained")
        figure.suptitle(chart.title, fontsize=11, x=0.01, ha="left")
        {"bars": _bars, "box": _boxes, "matrix": _matrix}.get(chart.kind, _lines)(figure, chart)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def _height(chart: Chart) -> float:
    """Inches; bars and the rows of a matrix are equally thick in all plots."""
    if chart.kind == "bars":
        return 1.5 + len(chart.points) * (0.55 if chart.has_paper else 0.4)
    return 1.2 + len(matrix_panels(chart)) * (0.4 + 0.42 * len(chart.series)) if chart.kind == "matrix" else 4.6


def _axes(figure: Any, chart: Chart, values: Literal["x", "y"]) -> Any:
    """The axes of a plot of values, with a grid to read them."""
    axes = figure.add_subplot()
    axes.set(**{f"{values}label": chart.value_title})
    axes.grid(axis=values, color="#e6e8eb")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _legend(figure: Any, chart: Chart, handles: list[Any]) -> None:
    """The legend below the axes, where it covers neither values nor the title."""
    place = {"loc": "outside lower center", "ncols": 2, "frameon": False}
    figure.legend(handles=handles, title=chart.note or None, title_fontsize=_SMALL, **place)


def _lines(figure: Any, chart: Chart) -> None:
    from matplotlib.ticker import LogLocator

    axes, columns, handles = _axes(figure, chart, "y"), chart.columns, []
    for place, series in enumerate(chart.series):
        x = [point.at if chart.is_numeric else columns.index(point.at) for point in series.points]
        colour = _COLOURS[place % len(_COLOURS)]
        look = {"color": colour, "marker": "o", "markersize": 4, "capsize": 3}
        name = f"{series.name}{', ours' if series.has_paper else ''}"
        ours, deviations = chart.ours(series.points), chart.deviations(series.points)
        handles.append(axes.errorbar(x, ours, yerr=deviations, label=name, **look))
        if series.has_paper:
            look = {"color": colour, "marker": "x", "linestyle": ":"}
            handles += axes.plot(x, chart.paper(series.points), label=f"{series.name}, paper", **look)
    if chart.log_x:
        axes.set_xscale("log")
        axes.set_xticks(columns, [f"{place:g}" for place in columns])
        axes.minorticks_off()
    elif not chart.is_numeric:
        axes.set_xticks(range(len(columns)), columns)
    axes.set_xlabel(chart.x_title)
    if chart.ratio:
        axes.set_yscale("log", subs=[])
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.axhline(1, color=_GREY, linestyle="--")
    _legend(figure, chart, handles)


def _bars(figure: Any, chart: Chart) -> None:
    axes, points = _axes(figure, chart, "x"), chart.points
    height = 0.38 if chart.has_paper else 0.0
    ours, paper, deviations = chart.ours(points), chart.paper(points), chart.deviations(points)
    places = [place + height / 2 for place in range(len(points))]
    if chart.has_paper:
        above = [place - height for place in places]
        handles = [axes.barh(above, paper, height, color=_GREY, label="paper")]
        handles.append(axes.barh(places, ours, height, color=_COLOURS[0], label="ours"))
    else:  # points, whose axis need not begin at zero, where small differences could not be seen
        handles = axes.plot(ours, places, "o", color=_COLOURS[0], label="ours")
    for place, value, published, deviation in zip(places, ours, paper, deviations, strict=True):
        error = 0.0 if math.isnan(deviation) else deviation
        if error:
            axes.errorbar(value, place, xerr=error, color="black" if chart.has_paper else _COLOURS[0], capsize=3)
        _value(axes, value + error, place, value)
        _value(axes, published, place - height, published)
    axes.set_yticks(range(len(points)), [str(point.at) for point in points])
    axes.invert_yaxis()
    axes.margins(x=0.1, y=0.02 if chart.has_paper else 0.1)
    _legend(figure, chart, handles)


def _value(axes: Any, end: float, place: float, value: float) -> None:
    """The value after the end of its bar."""
    if not math.isnan(value):
        look = {"textcoords": "offset points", "va": "center", "fontsize": _SMALL}
        axes.annotate(value_text(value), (end, place), (5, 0), **look)


def _boxes(figure: Any, chart: Chart) -> None:
    axes = _axes(figure, chart, "y")
    for place, series in enumerate(chart.series):
        values, colour = chart.ours(series.points), _COLOURS[place % len(_COLOURS)]
        lines = {f"{part}props": {"color": colour} for part in ("box", "whisker", "cap")}
        thick = {"color": colour, "linewidth": 2}
        # Outliers are among the points beside the box.
        axes.boxplot([values], positions=[place], widths=0.4, showfliers=False, medianprops=thick, **lines)
        axes.plot([place + 0.28] * len(values), values, "o", color=colour, alpha=0.6, markersize=4)
    axes.set_xticks(range(len(chart.series)), [series.name for series in chart.series])
    axes.set_xlabel(chart.note, fontsize=_SMALL)


def _matrix(figure: Any, chart: Chart) -> None:
    panels, columns = matrix_panels(chart), chart.columns
    every = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (name, values) in zip(every, panels.items(), strict=True):
        axes.imshow(values, cmap="Blues", aspect="auto", alpha=0.5)
        for row, some in enumerate(values):
            for column, value in enumerate(some):
                axes.text(column, row, value_text(value), ha="center", va="center")
        axes.set_title(name, fontsize=10, fontweight="bold", loc="left")
        axes.set_yticks(range(len(chart.series)), [series.name for series in chart.series])
        axes.tick_params(length=0)
    every[-1].set_xticks(range(len(columns)), [textwrap.fill(str(place), _ROW // len(columns)) for place in columns])
    every[-1].set_xlabel(chart.x_title)
    figure.supxlabel(chart.note, fontsize=_SMALL)
