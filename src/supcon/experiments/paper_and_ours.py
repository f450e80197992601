"""The table of the paper's values next to ours, as text and as numbers; does not import torch."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

from supcon.experiments.results import Results, Row
from supcon.report import Measure, describe


@dataclass(frozen=True, kw_only=True)
class ResultTable:
    """Headings and rows of texts; the first column is the setting."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


_WIDE = 9
"""Maximum number of columns of values; with more, measures are shown in rows."""


def result_table(results: Results) -> ResultTable:
    """For every measure our value and, if the paper has one, the paper's value and the difference."""
    measures = [describe(name) for name in results.experiment.measures(results.request.scale)]
    printed = _printed(results.rows, measures)
    too_wide = len(measures) + 2 * len(printed) > _WIDE
    return _by_measure(results, measures) if too_wide else _side_by_side(results, measures)


def _printed(rows: Sequence[Row], measures: Sequence[Measure]) -> set[str]:
    """The measures of which the paper prints a value."""
    return {measure.name for measure in measures if any(measure.name in row.setting.published for row in rows)}


def _side_by_side(results: Results, measures: Sequence[Measure]) -> ResultTable:
    printed = _printed(results.rows, measures)
    headings = ["setting"]
    for measure in measures:
        headings += [f"{measure.title}: paper"] * (measure.name in printed)
        headings += [f"{measure.title}: ours"] + [f"{measure.title}: difference"] * (measure.name in printed)
    texts = []
    for row in results.rows:
        line = [_title(row)]
        for measure in measures:
            paper, ours, difference = _texts(row, measure, results.has_the_papers_unit(measure.name))
            line += [paper, ours, difference] if measure.name in printed else [ours]
        texts.append((*line, _seeds(row)))
    return ResultTable(headings=(*headings, "seeds"), rows=tuple(texts))


def _by_measure(results: Results, measures: Sequence[Measure]) -> ResultTable:
    lines = tuple(
        (_title(row), measure.title, *_texts(row, measure, results.has_the_papers_unit(measure.name)), _seeds(row))
        for measure in measures
        for row in results.rows
    )
    return ResultTable(headings=("setting", "measure", "paper", "ours", "difference", "seeds"), rows=lines)


def _seeds(row: Row) -> str:
    return str(len(row.cells)) + (f" (+{len(row.failures)} failed)" if row.failures else "")


def table_csv(results: Results) -> str:
    """One line per setting and measure: paper, mean, standard deviation, seeds, difference; values as fractions."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["setting", "measure", "paper", "mean", "deviation", "seeds", "difference"])
    for row in results.rows:
        for name in results.experiment.measures(results.request.scale):
            paper, mean = row.setting.published.get(name, math.nan), row.mean(name)
            gap = mean - paper if results.has_the_papers_unit(name) else math.nan
            values = (paper, mean, row.deviation(name), len(row.values(name)), gap)
            writer.writerow([row.setting.name, name, *(_number(value) for value in values)])
    return text.getvalue()


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6g}"


def _title(row: Row) -> str:
    """The setting's name, with the chosen candidate if there were several."""
    if len(row.setting.candidates) == 1 or not row.cells:
        return row.setting.name
    differing = {
        name: value
        for name, value in row.chosen.items()
        if len({candidate.get(name) for candidate in row.setting.candidates}) > 1
    }
    chosen = ", ".join(f"{name.rpartition('.')[2]} {_value(value)}" for name, value in differing.items())
    return f"{row.setting.name} ({chosen})"


def _value(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _texts(row: Row, measure: Measure, same_unit: bool) -> tuple[str, str, str]:
    """The paper's value, ours, and the difference if both are in the same unit."""
    paper, mean, deviation = (
        row.setting.published.get(measure.name, math.nan),
        row.mean(measure.name),
        row.deviation(measure.name),
    )
    ours = "–" if math.isnan(mean) else measure.text(mean)
    if math.isnan(mean) and row.failures:
        ours = "training failed"
    if not math.isnan(deviation):
        ours += f" ± {measure.spread(deviation)}"
    gap = mean - paper if same_unit else math.nan
    text = f"{100 * gap:+.2f}" if measure.kind == "share" else f"{gap:+.3g}"
    return (
        "–" if math.isnan(paper) else measure.text(paper),
        ours,
        "–" if math.isnan(gap) else text.replace("-", "−"),
    )
