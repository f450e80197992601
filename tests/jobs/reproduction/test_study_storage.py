"""Journal files and databases that hold a study, and the sentences for those that cannot."""

import subprocess
import sys
from pathlib import Path

import pytest

from supcon.base.errors import RequestError, WorkError
from supcon.jobs.reproduction.study_storage import connected, open_storage


def refusal(where: str) -> str:
    with pytest.raises(RequestError) as caught:
        open_storage(where)
    return str(caught.value)


def test_a_folder_is_no_journal_file(tmp_path: Path) -> None:
    sentence = refusal(str(tmp_path))
    assert f"{tmp_path} is a folder; give a file in it, such as {tmp_path / 'study.journal'}." in sentence


def test_another_file_is_not_written_to(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("my notes")
    assert f"{notes} is another file; choose another name." in refusal(str(notes))
    assert notes.read_text() == "my notes"


def test_other_json_is_not_written_to(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"a": 1}')
    assert "is another file; choose another name." in refusal(str(file))


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.95])
def test_a_journal_that_was_cut_is_named(tmp_path: Path, kept: float) -> None:
    path = tmp_path / "study.journal"
    open_storage(str(path)).create_new_study([], "one")
    whole = path.read_bytes()
    path.write_bytes(whole[: int(kept * len(whole))] + b"\n" + whole)
    assert f"The journal {path} is damaged; remove it and repeat the command" in refusal(str(path))


def test_a_place_below_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    sentence = refusal(str(tmp_path / "file" / "study.journal"))
    assert sentence.startswith(f"--storage {tmp_path / 'file' / 'study.journal'} cannot be used as a journal file")


def test_a_journal_is_opened_again(tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "study.journal")
    first = open_storage(path)
    first.create_new_study([], "one")
    assert open_storage(path).get_study_id_from_name("one") == 0


def test_a_server_that_does_not_answer_is_one_sentence() -> None:
    sentence = refusal("postgresql://nobody:hidden%40word@127.0.0.1:1/x")
    assert sentence.startswith("--storage postgresql://nobody:***@127.0.0.1:1/x cannot be opened: ")
    assert "hidden" not in sentence
    assert "\n" not in sentence


def test_a_password_in_the_query_is_not_shown() -> None:
    assert "hidden" not in refusal("postgresql://nobody@127.0.0.1:1/x?password=hidden+word")


def test_a_url_that_cannot_be_read_is_not_shown() -> None:
    """The password could not be found in it."""
    sentence = refusal("postgresql://user:hid@den:x@host:port/db")
    assert "cannot be read" in sentence
    assert "hid" not in sentence


@pytest.mark.parametrize(
    ("url", "package", "extra"),
    [
        ("mysql://user@host/db", "pymysql", "mysql"),
        ("postgresql://user@host/db", "psycopg", "postgresql"),
        ("mssql+pymssql://user@host/db", "pymssql", ""),
    ],
)
def test_a_missing_driver_is_named(url: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    sentence = refusal(url)
    assert f"{url} needs the Python package {package}; install it" in sentence
    assert ("pip install" in sentence) == bool(extra)
    assert f"supcon[{extra}]" in sentence or not extra


def test_a_database_that_nobody_knows_is_one_sentence() -> None:
    assert refusal("nothing://user@host/db").startswith("--storage nothing://user@host/db ")


def test_a_file_of_sqlite_is_a_database_too(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'study.db'}"
    open_storage(url).create_new_study([], "one")
    assert open_storage(url).get_study_id_from_name("one") == 1


def test_several_machines_create_the_tables_at_the_same_time(mysql: str) -> None:
    program = f"from supcon.jobs.reproduction.study_storage import open_storage; open_storage({mysql!r})"
    processes = [subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE) for _ in range(4)]
    assert [process.communicate(timeout=240)[1].decode() for process in processes] == [""] * 4


def test_a_database_that_is_lost_is_one_sentence(tmp_path: Path) -> None:
    from optuna.exceptions import StorageInternalError
    from sqlalchemy.exc import OperationalError

    storage = open_storage(f"sqlite:///{tmp_path / 'study.db'}")

    def handle() -> None:
        try:
            raise OperationalError("SELECT 1", {}, Exception("server closed the connection"))
        except OperationalError as error:
            raise StorageInternalError("An exception is raised during the commit.") from error

    sentence = r"was lost \(server closed the connection\); finished cells are kept"
    with pytest.raises(WorkError, match=sentence), connected(storage):
        handle()


def test_other_errors_are_not_taken_for_a_lost_database(tmp_path: Path) -> None:
    storage = open_storage(str(tmp_path / "journal"))
    with pytest.raises(OSError, match="no space"), connected(storage):
        raise OSError("no space")


def test_a_server_that_stops_during_the_work_ends_it_with_one_sentence(postgresql: str, tmp_path: Path) -> None:
    """A real server, whose processes are killed while a cell is computed."""
    from jobs.reproduction.test_cell_study import load_worker
    from supcon.jobs.reproduction.cell_study import CellStudy

    worker = load_worker()
    folder = Path(postgresql.rpartition("=")[2])
    study = CellStudy(open_storage(postgresql), worker.CELLS, {}, tmp_path)

    def run(cell: object) -> object:
        pid = int((folder / "data" / "postmaster.pid").read_text().split()[0])
        subprocess.run(["kill", "-QUIT", str(pid)], check=True)  # an immediate stop
        for _ in range(600):
            if not (folder / "data" / "postmaster.pid").exists():
                break
            subprocess.run(["sleep", "0.1"], check=True)
        return worker.finished(cell)

    with pytest.raises(WorkError, match=r"The connection to --storage postgresql://supcon@/postgres\S* was lost"):
        study.work(run, lambda cell: None)  # type: ignore[arg-type]
