import math
import statistics
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from supcon.report import RunResults, comparison_rows, group_runs
from supcon.report.tables.pooling import pool


def test_runs_that_differ_by_seed_are_one_group(
    digits_run: RunResults, baseline_run: RunResults, repeat_run: Callable[..., RunResults]
) -> None:
    runs = [repeat_run(digits_run, 0, 0), baseline_run, repeat_run(digits_run, 1, 0)]
    groups = group_runs(runs)
    assert [(group.title, group.runs) for group in groups] == [
        ("digits-supcon", (runs[0], runs[2])),
        ("digits-cross-entropy", (runs[1],)),
    ]


def test_another_setting_is_another_group(digits_run: RunResults) -> None:
    other = replace(digits_run, recipe={**digits_run.recipe, "stage1": {**digits_run.recipe["stage1"], "epochs": 61}})
    placed = [replace(digits_run, path="/runs/large/x"), replace(other, path="/runs/small/x")]
    assert [group.title for group in group_runs(placed)] == ["digits-supcon (large)", "digits-supcon (small)"]
    alike = [replace(digits_run, path=""), replace(other, path="")]
    titles = [group.title for group in group_runs(alike)]
    assert titles == ["digits-supcon", "digits-supcon (2)"]


def test_names_without_a_common_beginning(digits_run: RunResults) -> None:
    runs = [replace(digits_run, name=name) for name in ("a", "b")]
    assert group_runs(runs)[0].title == "a"


def test_rows_pool_mean_and_standard_deviation(
    digits_run: RunResults, baseline_run: RunResults, repeat_run: Callable[..., RunResults]
) -> None:
    runs = [repeat_run(digits_run, seed, shift) for seed, shift in enumerate((0.0, 0.001, 0.005))]
    rows = {row.measure.name: row for row in comparison_rows([*runs, baseline_run])}
    tops = [run.measures["test/top1"] for run in runs]
    pooled, single = rows["test/top1"].values
    assert pooled.mean == pytest.approx(statistics.mean(tops))
    assert pooled.deviation == pytest.approx(statistics.stdev(tops))
    assert (pooled.runs, single.runs) == (3, 1)
    assert math.isnan(single.deviation)
    assert pooled.text(rows["test/top1"].measure) == f"{100 * pooled.mean:.2f}\xa0% ± {100 * pooled.deviation:.2f}"
    assert rows["seconds/stage2"].values[1].runs == 0


def test_best_follows_the_direction(digits_run: RunResults, baseline_run: RunResults) -> None:
    rows = {row.measure.name: row.best for row in comparison_rows([baseline_run, digits_run])}
    assert rows["test/top1"] == (1,)
    assert rows["test/nll"] == (1,)
    assert rows["test/knn_top1"] == (), "equal values have no best"
    assert rows["parameters/encoder"] == ()
    assert rows["seconds/stage2"] == (), "one value alone is not better"


def test_nan_is_never_best(digits_run: RunResults) -> None:
    runs = [
        replace(digits_run, name=str(epochs), recipe={"stage1": {"epochs": epochs}}, measures={"test/top1": top1})
        for epochs, top1 in enumerate((0.5, math.nan, 0.7, 0.7))
    ]
    (row,) = comparison_rows(runs)
    assert row.best == (2, 3)


def test_test_measures_come_first_and_costs_last(digits_run: RunResults, baseline_run: RunResults) -> None:
    measures = {
        "parameters/encoder": 1.0,
        "seconds/stage1": 1.0,
        "validation/top1": 0.5,
        "extra/x": 1.0,
        "test/nll": 0.1,
    }
    rows = comparison_rows([replace(digits_run, measures=measures), baseline_run])
    families = list(dict.fromkeys(row.measure.name.split("/")[0] for row in rows))
    assert families == ["test", "extra", "validation", "seconds", "parameters"]


def test_share_of_runs_that_are_right(digits_run: RunResults) -> None:
    wrong = replace(digits_run.outputs, labels=(digits_run.outputs.predicted + 1) % 10)
    group = group_runs([digits_run, digits_run, replace(digits_run, outputs=wrong)])[0]
    np.testing.assert_allclose(group.right, digits_run.outputs.correct * 2 / 3)


def test_pool_of_nothing() -> None:
    assert math.isnan(pool([math.nan]).mean)
    assert pool([]).runs == 0
