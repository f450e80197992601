"""The report of a run: result types, the HTML page, its text twin, and the comparison of several runs."""

from supcon.report.comparison import build_comparison
from supcon.report.markdown import comparison_markdown, report_markdown
from supcon.report.page import build_report
from supcon.report.pooling import ComparisonRow, Pooled, RunGroup, comparison_rows, group_runs
from supcon.report.results import Curve, Outputs, RunResults

__all__ = [
    "ComparisonRow",
    "Curve",
    "Outputs",
    "Pooled",
    "RunGroup",
    "RunResults",
    "build_comparison",
    "build_report",
    "comparison_markdown",
    "comparison_rows",
    "group_runs",
    "report_markdown",
]
