from collections.abc import Callable

import pytest

from references.corrupted_results import corrupted
from supcon.report import RunResults, build_comparison
from supcon.report.plots.corruption_comparison import severity_comparison
from supcon.report.tables.pooling import group_runs


def test_comparisons_show_the_course_and_not_every_severity(
    digits_run: RunResults, baseline_run: RunResults, repeat_run: Callable[..., RunResults]
) -> None:
    runs = [corrupted(digits_run, 0.9), corrupted(baseline_run, 0.8)]
    accuracy, _ = severity_comparison(group_runs(runs))
    assert [trace["y"][1:] for trace in accuracy.figure["data"]] == [pytest.approx([80, 60]), pytest.approx([70, 50])]
    page = build_comparison(runs)
    assert "Accuracy under corruptions, by severity" in page
    assert "Fog, severity 3" not in page
    assert severity_comparison(group_runs([runs[0], baseline_run])) == []
