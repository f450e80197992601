"""Cells handed out to several real processes, of which one is killed; over a journal file, PostgreSQL and MySQL."""

import importlib.util
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPT = Path(__file__).with_name("study_worker.py")


def load_worker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("study_worker", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def start(storage: str, folder: Path, name: str, seconds: float) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, str(SCRIPT), storage, str(folder), name, str(seconds)])


def entries(folder: Path) -> list[list[str]]:
    log = folder / "log"
    return [line.split() for line in log.read_text().splitlines()] if log.exists() else []


def wait_until(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def ended(folder: Path) -> int:
    return sum(word == "end" for word, _, _ in entries(folder))


def one_is_killed(storage: str, folder: Path) -> None:
    """The dead worker's cell is taken up by the living one; no other cell is begun twice."""
    worker = load_worker()
    first = start(storage, folder, "first", 300)
    wait_until(lambda: entries(folder), "no worker began")
    lost = entries(folder)[0][2]
    second = start(storage, folder, "second", 0.05)
    wait_until(lambda: ended(folder) == len(worker.CELLS) - 1, "the second worker has not ended all other cells")
    assert second.poll() is None, "the living worker must wait for the cell that the other has"
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert second.wait(120) == 0
    log = entries(folder)
    ends = [key for word, _, key in log if word == "end"]
    assert sorted(ends) == sorted(worker.CELLS)
    begun = [key for word, _, key in log if word == "begin"]
    assert sorted(begun) == sorted([*worker.CELLS, lost])

    from supcon.jobs.reproduction.cell_study import CellStudy
    from supcon.jobs.reproduction.study_storage import open_storage

    study = CellStudy(open_storage(storage), worker.CELLS, {}, folder)
    assert study.left == []
    assert study.running == {}
    assert {key: cell.measures for key, cell in study.finished.items()} == {
        key: worker.finished(cell).measures for key, cell in worker.CELLS.items()
    }
    study.close()


def test_a_killed_workers_cell_is_taken_up_again(tmp_path: Path) -> None:
    one_is_killed(str(tmp_path / "study.journal"), tmp_path)


def test_finished_cells_are_answered_without_running(tmp_path: Path) -> None:
    worker = load_worker()
    from supcon.jobs.reproduction.cell_study import CellStudy
    from supcon.jobs.reproduction.study_storage import open_storage

    known = {key: worker.finished(cell) for key, cell in worker.CELLS.items()}
    lost = known.popitem()[0]
    ran: list[str] = []

    def run(cell: object) -> object:
        ran.append(cell.key)  # type: ignore[attr-defined]
        return worker.finished(cell)

    study = CellStudy(open_storage(str(tmp_path / "journal")), worker.CELLS, known, tmp_path)
    study.work(run, lambda cell: None)  # type: ignore[arg-type]
    assert ran == [lost]
    # Another study of the same storage, with other cells, finds them too.
    some = dict(list(worker.CELLS.items())[:2])
    other = CellStudy(open_storage(str(tmp_path / "journal")), some, {}, tmp_path)
    assert set(other.left) <= set(known)
    assert lost not in other.left


def test_a_cell_that_ended_in_an_error_is_tried_again(tmp_path: Path) -> None:
    worker = load_worker()
    from supcon.jobs.reproduction.cell_study import CellStudy
    from supcon.jobs.reproduction.study_storage import open_storage

    def full_disk(cell: object) -> object:
        raise OSError("no space left")

    def study() -> CellStudy:
        return CellStudy(open_storage(str(tmp_path / "journal")), worker.CELLS, {}, tmp_path)

    with pytest.raises(OSError, match="no space"):
        study().work(full_disk, lambda cell: None)  # type: ignore[arg-type]
    again = study()
    again.work(worker.finished, lambda cell: None)
    assert again.left == []


def test_two_workers_over_postgresql_one_of_them_killed(postgresql: str, tmp_path: Path) -> None:
    one_is_killed(postgresql, tmp_path)


def test_two_workers_over_mysql_one_of_them_killed(mysql: str, tmp_path: Path) -> None:
    one_is_killed(mysql, tmp_path)


def test_a_result_with_a_thousand_measures_fits_into_mysql(mysql: str, tmp_path: Path) -> None:
    """One of its columns holds 64 KB."""
    worker = load_worker()
    from supcon.jobs.reproduction.cell_study import CellStudy
    from supcon.jobs.reproduction.study_storage import open_storage

    def run(cell: object) -> object:
        measures = {f"corruptions/noise_{number}/accuracy": number / 8 for number in range(2_500)}
        return replace(worker.finished(cell), measures=measures)

    some = dict(list(worker.CELLS.items())[:1])
    study = CellStudy(open_storage(mysql), some, {}, tmp_path)
    study.work(run, lambda cell: None)  # type: ignore[arg-type]
    study.close()
    again = CellStudy(open_storage(mysql), some, {}, tmp_path)
    assert again.left == []
    assert again.finished == study.finished
    again.close()


@pytest.mark.parametrize("moment", ["ask", "name", "suggest"])
def test_a_cell_that_others_gave_up_before_it_was_begun_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """As on a machine so busy that a worker needs more than five seconds from its trial to its name in it."""
    import optuna

    from supcon.jobs.reproduction import cell_study
    from supcon.jobs.reproduction.study_storage import open_storage

    worker = load_worker()
    study = cell_study.CellStudy(open_storage(str(tmp_path / "journal")), worker.CELLS, {}, tmp_path)
    place, name = {
        "ask": (optuna.samplers.GridSampler, "before_trial"),
        "name": (optuna.Trial, "set_user_attr"),
        "suggest": (optuna.Trial, "suggest_categorical"),
    }[moment]
    call = getattr(place, name)
    given_up: list[int] = []

    def paused(*arguments: Any) -> Any:
        if not given_up:
            (trial,) = study.study.get_trials(states=(optuna.trial.TrialState.RUNNING,))
            given_up.append(trial.number)
            cell_study._fail_and_queue(study.study, trial)
        return call(*arguments)

    monkeypatch.setattr(place, name, paused)
    study.work(worker.finished, lambda cell: None)
    assert given_up
    assert study.left == []


@pytest.mark.parametrize("kind", ["journal", "database"])
def test_a_cell_that_others_gave_up_during_a_pause_is_no_error(tmp_path: Path, kind: str) -> None:
    """As after a laptop slept for longer than the heartbeat: the trial has been marked as failed meanwhile."""
    import optuna

    from supcon.jobs.reproduction.cell_study import CellStudy
    from supcon.jobs.reproduction.study_storage import open_storage

    worker = load_worker()
    place = str(tmp_path / "journal") if kind == "journal" else f"sqlite:///{tmp_path / 'study.db'}"
    study = CellStudy(open_storage(place), worker.CELLS, {}, tmp_path)
    begun: list[str] = []

    def run(cell: object) -> object:
        begun.append(cell.key)  # type: ignore[attr-defined]
        if len(begun) == 1:
            (trial,) = study.study.get_trials(states=(optuna.trial.TrialState.RUNNING,))
            study.study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
        return worker.finished(cell)

    study.work(run, lambda cell: None)  # type: ignore[arg-type]
    assert study.left == []
    assert sorted(begun) == sorted(worker.CELLS), "the result that was found in spite of it is kept"
    study.close()


def test_an_error_of_a_cell_is_not_taken_for_a_pause(tmp_path: Path) -> None:
    from supcon.jobs.reproduction.cell_study import CellStudy
    from supcon.jobs.reproduction.study_storage import open_storage

    study = CellStudy(open_storage(str(tmp_path / "journal")), load_worker().CELLS, {}, tmp_path)

    def run(cell: object) -> object:
        raise ValueError("a wrong value")

    with pytest.raises(ValueError, match="a wrong value"):
        study.work(run, lambda cell: None)  # type: ignore[arg-type]
