from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from supcon.evaluation import difference_interval
from supcon.report import RunResults, comparison_rows, describe, group_runs
from supcon.report.tables.paired_differences import Difference, paired_differences


def with_measures(run: RunResults) -> RunResults:
    outputs = run.outputs
    onehot = np.eye(10)[outputs.labels]
    brier = float(((outputs.probabilities - onehot) ** 2).sum(1).mean())
    return replace(run, measures={**run.measures, "test/brier": brier})


def test_terms_average_to_the_measured_difference(digits_run: RunResults, baseline_run: RunResults) -> None:
    runs = [with_measures(digits_run), with_measures(baseline_run)]
    groups = group_runs(runs)
    rows = {row.measure.name: row for row in comparison_rows(runs)}
    true = [run.outputs.probabilities[np.arange(360), run.outputs.labels] for run in runs]
    onehot = np.eye(10)[digits_run.outputs.labels]
    terms = {
        "test/top1": [run.outputs.correct.astype(float) for run in runs],
        "test/nll": [-np.log(each) for each in true],
        "test/brier": [((run.outputs.probabilities - onehot) ** 2).sum(1) for run in runs],
    }
    for name, (first, second) in terms.items():
        (found,) = paired_differences(rows[name], groups, groups[1:])
        assert found is not None
        assert found.value == pytest.approx((second - first).mean(), rel=1e-6)
        low, high = difference_interval(second, first)
        assert [found.low, found.high] == pytest.approx([low, high])


def test_no_interval_on_other_images_or_of_other_metrics(digits_run: RunResults, baseline_run: RunResults) -> None:
    runs = [digits_run, baseline_run]
    groups = group_runs(runs)
    rows = {row.measure.name: row for row in comparison_rows(runs)}
    (apart,) = paired_differences(rows["test/top1"], groups, [])
    (other,) = paired_differences(rows["test/ece"], groups, groups[1:])
    for found in (apart, other):
        assert found is not None
        assert found.interval(describe("test/top1")) == ""
        assert not found.sure


def test_a_missing_value_has_no_difference(
    digits_run: RunResults, baseline_run: RunResults, repeat_run: Callable[..., RunResults]
) -> None:
    runs = [digits_run, baseline_run]
    rows = {row.measure.name: row for row in comparison_rows(runs)}
    assert paired_differences(rows["seconds/stage2"], group_runs(runs), []) == [None]


def test_words() -> None:
    share, number = describe("test/top1"), describe("test/nll")
    sure = Difference(value=0.012, low=0.002, high=0.022)
    assert (sure.text(share), sure.interval(share), sure.sure) == ("+1.2", "+0.2 to +2.2", True)
    assert Difference(value=-0.0123).text(number) == "−0.01230"
    assert Difference(value=0.0).text(number) == "0.000"
