"""Accuracy of the compared runs by label noise or by the amount of training data."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from supcon.evaluation import StudyPoint, study_curve
from supcon.report.plots.figure import Plot, Trace, axis, figure, label, numbers, run_colour
from supcon.report.run_results import RunResults
from supcon.report.tables.measure_names import describe, percent
from supcon.report.tables.settings import repeatable, setting
from supcon.report.tables.summary import method_in_words

STUDIED = {
    "data.label_noise": ("Label noise", "share of wrong training labels", 0.0),
    "data.fraction": ("Reduced data", "share of the training images", 1.0),
    "data.per_class": ("Reduced data", "training images per class", None),
    "data.imbalance_factor": ("Imbalanced data", "ratio of the first to the last class", 1.0),
}
"""Settings of a study: its title, a description of the setting, and the value of a run without that setting."""
MEASURE = "test/top1"


@dataclass(frozen=True, kw_only=True)
class Line:
    """Runs that differ only by the studied setting and the seed."""

    title: str
    points: list[StudyPoint]


@dataclass(frozen=True, kw_only=True)
class Study:
    """One setting that differs between the compared runs."""

    title: str
    setting: str
    setting_title: str
    lines: list[Line]

    def text(self, point: StudyPoint) -> str:
        """A point's accuracy, with the standard deviation if there are several seeds."""
        measure = describe(MEASURE)
        spread = f" ± {measure.spread(point.deviation)}" if point.runs > 1 else ""
        return f"{measure.text(point.mean)}{spread}"

    @property
    def values(self) -> list[float]:
        return sorted({point.setting for line in self.lines for point in line.points})

    def row(self, line: Line) -> list[str]:
        """The line's cells of the table, one for each value of the setting that any line has."""
        texts = {point.setting: self.text(point) for point in line.points}
        return [texts.get(value, "–") for value in self.values]


def studies(runs: Sequence[RunResults]) -> list[Study]:
    """A study for each studied setting that has two values among otherwise equal runs."""
    found = []
    for name, (title, setting_title, default) in STUDIED.items():
        lines = _lines(runs, name, default)
        if any(len(line.points) > 1 for line in lines):
            found.append(Study(title=title, setting=name, setting_title=setting_title, lines=lines))
    return found


def _lines(runs: Sequence[RunResults], name: str, default: float | None) -> list[Line]:
    groups: dict[str, list[tuple[float, RunResults]]] = {}
    for run in runs:
        value = setting(run.recipe, name)
        value = default if value is None else float(value)
        if value is not None and MEASURE in run.measures:
            rest = {key: other for key, other in repeatable(run.recipe).items() if key != name}
            groups.setdefault(json.dumps(rest, sort_keys=True, default=str), []).append((value, run))
    titles = [method_in_words(group[0][1].method).strip(",") for group in groups.values()]
    return [
        Line(
            # Two lines of one method differ in another setting; the name of their first run distinguishes them.
            title=title if titles.count(title) == 1 else f"{title} ({group[0][1].name})",
            points=study_curve([(value, run.measures) for value, run in group], MEASURE),
        )
        for title, group in zip(titles, groups.values(), strict=True)
    ]


def study_plot(study: Study) -> Plot:
    """Accuracy by the setting, one line per recipe, with the standard deviation if there are several seeds."""
    values = "; ".join(
        f"{line.title}: " + ", ".join(f"{percent(point.mean)} at {point.setting:g}" for point in line.points)
        for line in study.lines
    )
    return Plot(
        title=f"{study.title}: accuracy by {study.setting_title}",
        alt=f"Test accuracy by {study.setting_title}. {values}.",
        figure=figure(
            [_trace(line, index) for index, line in enumerate(study.lines)],
            xaxis=axis(study.setting_title),
            yaxis=axis("test accuracy", ticksuffix=" %"),
            showlegend=True,
        ),
    )


def _trace(line: Line, index: int) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": label(line.title, 40),
        "x": numbers([point.setting for point in line.points]),
        "y": numbers([100 * point.mean for point in line.points]),
        "error_y": {
            "type": "data",
            "array": [value or 0 for value in numbers([100 * point.deviation for point in line.points])],
            "thickness": 1,
        },
        "line": {"color": run_colour(index), "width": 2},
        "hovertemplate": "%{x:.4~g}: %{y:.2f} %",
    }
