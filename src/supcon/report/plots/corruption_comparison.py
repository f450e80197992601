"""Accuracy and calibration error by severity of corruption, for several groups of runs."""

from collections.abc import Sequence

import numpy as np

from supcon.report.plots.corruption_plots import corruptions_of
from supcon.report.plots.figure import Plot, Trace, axis, figure, label, numbers, run_colour
from supcon.report.tables.measure_names import percent
from supcon.report.tables.pooling import RunGroup

Course = tuple[int, RunGroup, list[int], list[float]]
"""The group's index, the group, the severities, and a value for each."""


def severity_comparison(groups: Sequence[RunGroup]) -> list[Plot]:
    """Mean over corruptions by severity, as Figure 3 (right) of the paper; empty if fewer than two groups have any."""
    titles = {"top1": "Accuracy under corruptions", "ece": "Calibration error under corruptions"}
    found = {
        title: [course for index, group in enumerate(groups) if (course := _course(index, group, name)) is not None]
        for name, title in titles.items()
    }
    return [_plot(title, courses) for title, courses in found.items() if len(courses) > 1]


def _plot(title: str, courses: Sequence[Course]) -> Plot:
    values = "; ".join(
        f"{group.title}: " + ", ".join(f"{percent(v)} at severity {s}" for s, v in zip(severities, means, strict=True))
        for _, group, severities, means in courses
    )
    return Plot(
        title=f"{title}, by severity",
        alt=f"{title}. {values}.",
        figure=figure(
            [_trace(group.title, index, severities, values) for index, group, severities, values in courses],
            xaxis=axis("severity (0: clean images)", dtick=1),
            yaxis=axis("", ticksuffix=" %", rangemode="tozero"),
            showlegend=True,
        ),
    )


def _course(index: int, group: RunGroup, name: str) -> Course | None:
    """The mean over the group's runs; None if one was not evaluated on corruptions, or at other severities."""
    found = [item for run in group.runs if (item := corruptions_of(run)) is not None]
    if len(found) < len(group.runs) or len({tuple(item.severities) for item in found}) != 1:
        return None
    clean = 0 if name == "top1" else 1
    values = np.mean([[item.clean[clean], *item.means[name]] for item in found], axis=0)
    return index, group, [0, *found[0].severities], values.tolist()


def _trace(title: str, index: int, severities: list[int], values: list[float]) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": label(title, 40),
        "x": severities,
        "y": numbers([100 * value for value in values]),
        "line": {"color": run_colour(index), "width": 2},
        "hovertemplate": "severity %{x}: %{y:.1f} %",
    }
