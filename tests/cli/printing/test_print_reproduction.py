"""The printed status of a study; `jobs/reproduction/test_reproduce_experiments` has the tables."""

import math

import pytest

from supcon.cli.printing.print_reproduction import print_status
from supcon.jobs.reproduction.reproduce_experiments import ExperimentStatus, StudyStatus


def status(seconds_left: float, running: int) -> StudyStatus:
    one = ExperimentStatus(name="queue", cells=9, finished=4, failed=1, running=running)
    return StudyStatus(experiments=[one], left=5, running=running, seconds_left=seconds_left)


@pytest.mark.parametrize(("running", "workers"), [(0, "with 1 worker,"), (1, "with 1 worker,"), (3, "with 3 workers,")])
def test_the_end_is_estimated_for_the_workers_that_run(
    running: int, workers: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    print_status(status(3600.0, running))
    printed = capsys.readouterr().out
    assert ["queue", "9", "4", "1", str(running), "5"] in [line.split() for line in printed.splitlines()]
    assert f"5 different cells left, {running} of them running; {workers}" in printed


def test_nothing_is_estimated_without_a_finished_cell(capsys: pytest.CaptureFixture[str]) -> None:
    print_status(status(math.nan, 1))
    assert capsys.readouterr().out.endswith("5 different cells left, 1 of them running.\n")
