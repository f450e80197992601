"""The page that compares several runs: one self-contained HTML file."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

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
from supcon.report.plots.thumbnails import make_sprite
from supcon.report.run_results import RunResults
from supcon.report.tables.agreement import agreement, same_test_images, verdict
from supcon.report.tables.disagreements import disagreements
from supcon.report.tables.measure_names import describe, percent
from supcon.report.tables.paired_differences import Difference, paired_differences
from supcon.report.tables.pooling import ComparisonRow, RunGroup, comparison_rows, group_runs
from supcon.report.tables.run_table import interval_text, run_table
from supcon.report.tables.settings import differences
from supcon.report.tables.summary import method_in_words

STAGES = {"stage1": "Stage 1", "stage2": "Stage 2"}


SUMMARY = (
    "test/top1",
    "test/map",
    "test/mean_per_class",
    "test/knn_top1",
    "test/knn_map",
    "test/nll",
    "test/brier",
    "test/ece",
    "test/recall_at_1",
    "corruptions/mean_top1",
    "corruptions/mce",
    "seconds/stage1",
    "parameters/encoder",
)
LINES = 10
SIDE_BY_SIDE = 4
"""Of more groups, sentences and plots of each would be too many."""


def build_comparison(runs: Sequence[RunResults]) -> str:
    """The HTML page that compares runs; the others are compared with the first."""
    groups = group_runs(runs)
    paired = comparable(groups)
    rows = [(row, paired_differences(row, groups, paired)) for row in comparison_rows(runs)]
    return render(
        "comparison.html",
        groups=groups,
        methods=[method_in_words(group.first.method).strip(",") for group in groups],
        summary=_summary(rows),
        rows=rows,
        intervals=_intervals(groups),
        runs=run_table(runs),
        verdicts=verdicts(groups)[: SIDE_BY_SIDE - 1],
        best=best_in_words([groups[0], *paired]),
        paired=bool(paired),
        studies=[(study, study_plot(study)) for study in studies(runs)],
        severities=severity_comparison(groups),
        settings=differences([group.first.recipe for group in groups]),
        stages=[(title, plots) for stage, title in STAGES.items() if (plots := overlaid_curves(groups, stage))],
        reliability=[pooled_reliability(g) for g in groups[:SIDE_BY_SIDE] if not g.first.outputs.multi_label],
        agreements=[agreement(groups[0], group) for group in paired],
        disagreements=[disagreements(groups[0], group) for group in paired[: SIDE_BY_SIDE - 1]],
        sprite=make_sprite(groups[0].first.outputs),
        outputs=groups[0].first.outputs,
        names=groups[0].first.class_names,
        classes=_class_rows(groups),
        class_difference=_class_difference(groups),
    )


def _summary(
    rows: Sequence[tuple[ComparisonRow, list[Difference | None]]],
) -> list[tuple[ComparisonRow, list[Difference | None]]]:
    """The most important metrics."""
    by_name = {row.measure.name: (row, found) for row, found in rows}
    return [by_name[name] for name in SUMMARY if name in by_name][:LINES]


def _intervals(groups: Sequence[RunGroup]) -> dict[str, list[str]]:
    """By metric, the interval of every group that is a single run; a group of seeds has its standard deviation."""
    names = dict.fromkeys(name for group in groups for name in group.first.measures)
    return {
        name: [interval_text(group.first, describe(name)) if len(group.runs) == 1 else "" for group in groups]
        for name in names
    }


def best_in_words(groups: Sequence[RunGroup]) -> str:
    """A sentence on the best of groups with the same test images; empty for two, which the verdict compares."""
    known = [group for group in groups if "test/top1" in group.first.measures]
    if len(known) < 3:
        return ""
    best = max(known, key=lambda group: float(np.mean([run.measures["test/top1"] for run in group.runs])))
    accuracy = float(np.mean([run.measures["test/top1"] for run in best.runs]))
    return f"The highest test accuracy is that of {best.title}: {percent(accuracy, 2)}."


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
