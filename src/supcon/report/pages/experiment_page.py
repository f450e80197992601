"""The page of one experiment: the paper's claim, the verdict, the table and the plots, in one HTML file."""

from collections.abc import Sequence
from dataclasses import dataclass

from supcon.report.pages.run_page import render
from supcon.report.plots.chart import Chart, chart_plot


@dataclass(frozen=True, kw_only=True)
class ExperimentPage:
    """The contents of the page."""

    name: str
    where: str
    claim: str
    verdict: str
    parts: Sequence[tuple[str, str]]
    """Answer and sentence of every part of the claim."""
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
    return render("experiment.html", page=page, plots=[chart_plot(chart) for chart in page.charts])
