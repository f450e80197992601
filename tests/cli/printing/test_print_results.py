"""The printed tables of runs."""

from pathlib import Path

import pytest

from supcon.cli.printing.print_results import print_run, print_runs
from supcon.runs import Run


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def test_one_run_with_its_intervals_and_report(tiny_runs: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    run = Run(tiny_runs["supcon"])
    print_run(run)
    printed = capsys.readouterr().out
    line = next(line for line in printed.splitlines() if line.startswith("Test accuracy"))
    assert f"{100 * run.measures['test/top1']:.2f}" in line
    assert " to " in line
    assert f"report: {run.report_file}" in printed


def test_runs_side_by_side_with_a_verdict(tiny_runs: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    runs = [Run(tiny_runs[name]) for name in ("supcon", "cross-entropy")]
    print_runs(runs)
    printed = capsys.readouterr().out
    line = next(line for line in printed.splitlines() if line.startswith("Test accuracy"))
    assert all(f"{100 * run.measures['test/top1']:.2f}" in line for run in runs)
    assert "validation" not in printed.lower()
    assert "different images" not in printed
