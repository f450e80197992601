"""Cells handed out to several real processes, of which one is killed; over a journal file and over PostgreSQL."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from supcon.base.errors import RequestError

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


def wait_until_one_begins(folder: Path) -> str:
    for _ in range(600):
        if found := entries(folder):
            return found[0][2]
        time.sleep(0.05)
    raise AssertionError("no worker began")


def one_is_killed(storage: str, folder: Path) -> None:
    """The dead worker's cell is taken up by the living one; no other cell is begun twice."""
    worker = load_worker()
    first = start(storage, folder, "first", 300)
    lost = wait_until_one_begins(folder)
    second = start(storage, folder, "second", 0.05)
    for _ in range(600):
        if sum(word == "end" for word, _, _ in entries(folder)) == len(worker.CELLS) - 1:
            break
        time.sleep(0.05)
    assert second.poll() is None, "the living worker must wait for the cell that the other has"
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert second.wait(60) == 0
    log = entries(folder)
    ends = [key for word, _, key in log if word == "end"]
    assert sorted(ends) == sorted(worker.CELLS)
    begun = [key for word, _, key in log if word == "begin"]
    assert sorted(begun) == sorted([*worker.CELLS, lost])

    from supcon.jobs.reproduction.cell_study import CellStudy, open_storage

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
    from supcon.jobs.reproduction.cell_study import CellStudy, open_storage

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
    from supcon.jobs.reproduction.cell_study import CellStudy, open_storage

    def full_disk(cell: object) -> object:
        raise OSError("no space left")

    def study() -> CellStudy:
        return CellStudy(open_storage(str(tmp_path / "journal")), worker.CELLS, {}, tmp_path)

    with pytest.raises(OSError, match="no space"):
        study().work(full_disk, lambda cell: None)  # type: ignore[arg-type]
    again = study()
    again.work(worker.finished, lambda cell: None)
    assert again.left == []


def test_a_storage_that_cannot_be_opened_is_one_sentence() -> None:
    from supcon.jobs.reproduction.cell_study import open_storage

    with pytest.raises(RequestError, match=r"--storage postgresql://nobody@127\.0\.0\.1:1/x cannot be opened"):
        open_storage("postgresql://nobody@127.0.0.1:1/x")


def programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@pytest.fixture
def postgresql() -> Iterator[str]:
    """A server of its own, from Debian's package, reachable by a socket alone."""
    where = programs()
    pytest.importorskip("psycopg")
    if where is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    as_root = os.geteuid() == 0
    user = ["runuser", "-u", "postgres", "--"] if as_root else []
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # pytest's own folder is closed to other users
    if as_root:
        shutil.chown(folder, "postgres")
    # Its output would be read through pipes that the server keeps open.
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True, "cwd": "/"}
    control = [*user, str(where / "pg_ctl"), "-D", str(folder / "data"), "-w"]
    subprocess.run([*user, str(where / "initdb"), "-D", str(folder / "data"), "-U", "supcon", "-A", "trust"], **quiet)  # type: ignore[call-overload]
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    subprocess.run([*control, "-o", options, "start"], **quiet)  # type: ignore[call-overload]
    try:
        yield f"postgresql://supcon@/postgres?host={folder}"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], **quiet)  # type: ignore[call-overload]
        shutil.rmtree(folder, ignore_errors=True)


def test_two_workers_over_postgresql_one_of_them_killed(postgresql: str, tmp_path: Path) -> None:
    one_is_killed(postgresql, tmp_path)
