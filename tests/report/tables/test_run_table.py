from collections.abc import Callable
from dataclasses import replace

from supcon.report import RunResults
from supcon.report.tables.run_table import run_table


def test_one_row_a_run_with_its_changed_settings(
    digits_run: RunResults, baseline_run: RunResults, repeat_run: Callable[..., RunResults]
) -> None:
    warmer = replace(digits_run, name="warmer", recipe={**digits_run.recipe, "loss": {"temperature": 0.5}})
    table = run_table([digits_run, repeat_run(digits_run, 1, 0.001), baseline_run, warmer])
    assert [row.name for row in table.rows] == [
        "digits-supcon",
        "digits-supcon-seed1",
        "digits-cross-entropy",
        "warmer",
    ]
    columns = {name: [row.settings[place] for row in table.rows] for place, name in enumerate(table.settings)}
    assert columns["method"] == ["supcon", "supcon", "cross-entropy", "supcon"]
    assert columns["loss.temperature"] == [0.1, 0.1, 0.1, 0.5]
    assert columns["seed"] == [0, 1, 0, 0]
    assert "stage1.epochs" not in columns
    assert table.measures[0].name == "test/top1"
    assert table.rows[0].values[0] == digits_run.measures["test/top1"]


def test_intervals_where_they_were_measured(digits_run: RunResults, baseline_run: RunResults) -> None:
    with_ends = {**digits_run.measures, "test/top1_low": 0.91, "test/top1_high": 0.97}
    first, second = run_table([replace(digits_run, measures=with_ends), baseline_run]).rows
    assert first.intervals[0] == "91.00\xa0% to 97.00\xa0%"
    assert second.intervals[0] == ""
