"""The table of the paper's values next to ours, as text and as numbers; does not import torch."""

import csv
import io
import math
from dataclasses import dataclass

from supcon.experiments.results import Results, Row
from supcon.report import Measure, describe


@dataclass(frozen=True, kw_only=True)
class ResultTable:
    """Headings and rows of texts; the first column is the setting."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


_WIDE = 6
"""Maximum number of columns of values; with more, measures are shown in rows."""
_NONE = "–"


def result_table(results: Results) -> ResultTable:
    """For every measure our value and, if the paper has one, the paper's value and the difference."""
    columns = {"setting": [_title(row) for row in results.rows]}
    for measure in _measures(results):
        texts = [_texts(row, measure, results.has_the_papers_unit(measure.name)) for row in results.rows]
        for name, column in zip(("paper", "ours", "difference"), map(list, zip(*texts, strict=True)), strict=True):
            if name == "ours" or any(text != _NONE for text in column):
                columns[f"{measure.title}: {name}"] = column
    columns["seeds"] = [_seeds(row) for row in results.rows]
    if len(columns) - 2 > _WIDE:
        return table_by_measure(results)
    return ResultTable(headings=tuple(columns), rows=tuple(zip(*columns.values(), strict=True)))


def table_by_measure(results: Results) -> ResultTable:
    """As `result_table`, with a row for every measure of a setting."""
    lines = tuple(
        (_title(row), measure.title, *_texts(row, measure, results.has_the_papers_unit(measure.name)), _seeds(row))
        for measure in _measures(results)
        for row in results.rows
    )
    return ResultTable(headings=("setting", "measure", "paper", "ours", "difference", "seeds"), rows=lines)


def _measures(results: Results) -> list[Measure]:
    return [describe(name) for name in results.experiment.measures(results.request.scale)]


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
    if len(row.setting.candidates) == 1 or not row.cells or not row.complete:
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
    ours = _NONE if math.isnan(mean) else measure.text(mean)
    if math.isnan(mean) and row.failures:
        ours = "training failed"
    if not math.isnan(deviation):
        ours += f" ± {measure.spread(deviation)}"
    gap = mean - paper if same_unit else math.nan
    text = f"{100 * gap:+.2f}" if measure.kind == "share" else f"{gap:+.3g}"
    return (
        _NONE if math.isnan(paper) else measure.text(paper),
        ours,
        _NONE if math.isnan(gap) else text.replace("-", "−"),
    )
