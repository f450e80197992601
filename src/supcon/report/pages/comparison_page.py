"""The page that compares several runs: one self-contained HTML file."""

import math
from collections.abc import Sequence
from typing import Any

from supcon.report.pages.run_page import render
from supcon.report.plots.comparison_plots import (
    class_accuracy,
    class_difference_plot,
    overlaid_curves,
    pooled_reliability,
)
from supcon.report.plots.corruption_comparison import severity_comparison
from supcon.report.plots.figure import Plot
from supcon.report.plots.study_plots import studies, study_plot
from supcon.report.run_results import RunResults
from supcon.report.tables.agreement import agreement, same_test_images, verdict
from supcon.report.tables.pooling import RunGroup, comparison_rows, group_runs
from supcon.report.tables.settings import differences
from supcon.report.tables.summary import method_in_words

STAGES = {"stage1": "Stage 1", "stage2": "Stage 2"}


def build_comparison(runs: Sequence[RunResults]) -> str:
    """The HTML page that compares runs; the others are compared with the first."""
    groups = group_runs(runs)
    return render(
        "comparison.html",
        groups=groups,
        methods=[method_in_words(group.first.method).strip(",") for group in groups],
        rows=comparison_rows(runs),
        verdicts=verdicts(groups),
        studies=[(study, study_plot(study)) for study in studies(runs)],
        severities=severity_comparison(groups),
        settings=differences([group.first.recipe for group in groups]),
        stages=[(title, plots) for stage, title in STAGES.items() if (plots := overlaid_curves(groups, stage))],
        reliability=[pooled_reliability(group) for group in groups if not group.first.outputs.multi_label],
        agreements=[agreement(groups[0], group) for group in comparable(groups)],
        classes=_class_rows(groups),
        class_difference=_class_difference(groups),
    )


def comparable(groups: Sequence[RunGroup]) -> list[RunGroup]:
    """The groups after the first whose runs were all tested on the same images as those of the first."""
    first, *others = groups
    if any(run.outputs.multi_label for group in groups for run in group.runs):
        return []  # an image with several labels is not simply right or wrong
    if not all(same_test_images(first.first, run) for run in first.runs):
        return []
    return [group for group in others if all(same_test_images(first.first, run) for run in group.runs)]


def verdicts(groups: Sequence[RunGroup]) -> list[str]:
    """A sentence on the accuracy of every group that was tested on the same images as the first."""
    return [verdict(group, groups[0]) for group in comparable(groups)]


def _class_difference(groups: Sequence[RunGroup]) -> Plot | None:
    others = comparable(groups)
    return class_difference_plot([groups[0], *others], groups[0].first.class_names) if others else None


def _class_rows(groups: Sequence[RunGroup]) -> list[tuple[str, list[float], list[bool]]]:
    """Per class: its name, the accuracy of each group, and which are best; empty if the classes differ."""
    names = groups[0].first.class_names
    if any(run.class_names != names or run.outputs.multi_label for group in groups for run in group.runs):
        return []
    accuracy = [class_accuracy(group).tolist() for group in groups]
    return [(name, row, _best(row)) for name, *row in zip(names, *accuracy, strict=True)]


def _best(row: Sequence[Any]) -> list[bool]:
    known = [value for value in row if not math.isnan(value)]
    return [len(set(known)) > 1 and value == max(known) for value in row]
