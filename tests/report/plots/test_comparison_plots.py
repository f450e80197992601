from collections.abc import Callable
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from supcon.report import RunResults, group_runs
from supcon.report.plots.comparison_plots import (
    CLASSES_SHOWN,
    class_accuracy,
    class_difference_plot,
    overlaid_curves,
    pooled_reliability,
)


def test_losses_of_different_methods_have_plots_of_their_own(digits_run: RunResults, baseline_run: RunResults) -> None:
    plots = overlaid_curves(group_runs([digits_run, baseline_run]), "stage1")
    assert [plot.title for plot in plots] == ["Accuracy", "Loss of supcon", "Loss of cross-entropy"]
    names = [trace["name"] for trace in plots[0].figure["data"]]
    assert names == ["digits-supcon: validation, k-NN", "digits-cross-entropy: validation, top-1"]
    assert len({trace["line"]["color"] for trace in plots[0].figure["data"]}) == 2


def test_every_seed_has_a_line(digits_run: RunResults, repeat_run: Callable[..., RunResults]) -> None:
    groups = group_runs([repeat_run(digits_run, seed, 0) for seed in range(3)])
    accuracy, loss = overlaid_curves(groups, "stage2")
    assert len(accuracy.figure["data"]) == 3
    assert len(loss.figure["data"]) == 6
    assert sum(trace["showlegend"] for trace in loss.figure["data"]) == 2


def test_reliability_is_over_all_seeds(digits_run: RunResults) -> None:
    (group,) = group_runs([digits_run, digits_run])
    assert sum(pooled_reliability(group).figure["data"][3]["y"]) == 720


def test_difference_by_class(digits_run: RunResults, baseline_run: RunResults) -> None:
    groups = group_runs([digits_run, baseline_run])
    plot = class_difference_plot(groups, digits_run.class_names)
    (bars,) = plot.figure["data"]
    for c in range(10):
        of_class = digits_run.outputs.labels == c
        first, second = (run.outputs.correct[of_class].mean() for run in (digits_run, baseline_run))
        assert bars["x"][c] == pytest.approx(100 * (second - first), abs=1e-3)
        assert class_accuracy(groups[0])[c] == pytest.approx(first)
    go.Figure(plot.figure)


def test_of_many_classes_the_most_different_are_shown(make_run: Callable[..., RunResults]) -> None:
    first, second = make_run(100), make_run(100, accuracy=0.5)
    second = replace(second, recipe={"method": "other"})
    groups = group_runs([first, second])
    difference = np.abs(class_accuracy(groups[1]) - class_accuracy(groups[0]))
    (bars,) = class_difference_plot(groups, first.class_names).figure["data"]
    assert len(bars["x"]) == CLASSES_SHOWN
    assert sorted(np.abs(bars["x"])) == pytest.approx(sorted(100 * np.sort(difference)[-CLASSES_SHOWN:]), abs=1e-3)
