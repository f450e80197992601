"""The page of one experiment: the paper's claim, the verdict, the table and the plots, in one HTML file."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from supcon.report.pages.run_page import render
from supcon.report.plots.chart import Chart
from supcon.report.plots.chart_plot import chart_plot


@dataclass(frozen=True, kw_only=True)
class ExperimentPage:
    """The contents of the page."""

    name: str
    where: str
    claim: str
    verdict: str
    parts: Sequence[tuple[str, str]]
    """Answer and sentence of every part of the claim."""
    besides: Sequence[tuple[str, str]]
    """Answer and sentence of every comparison that is no part of the claim."""
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    charts: Sequence[Chart]
    differs: str
    circumstances: Sequence[str]
    method: str
    """Description of the test behind the verdict."""
    command: str


def build_experiment_page(page: ExperimentPage) -> str:
    """The HTML page of an experiment."""
    values = [[math.nan, *map(_number, row[1:])] for row in page.rows]
    kinds = ["text" if all(map(math.isnan, column)) else "number" for column in zip(*values, strict=True)]
    kinds = kinds or ["text"] * len(page.headings)
    plots = [chart_plot(chart) for chart in page.charts]
    return render("experiment.html", page=page, kinds=kinds, values=values, plots=plots)


def _number(text: str) -> float:
    r"""The number at the start of a text, to sort by; NaN if there is none.

    >>> _number("63.34 % ± 0.37"), _number("−20.88"), _number("Test accuracy")
    (63.34, -20.88, nan)
    """
    found = re.match(r"[+−]?\d+(\.\d+)?(e[+-]\d+)?", text)
    return float(found[0].replace("−", "-")) if found else math.nan
