import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from supcon.base.atomic_files import (
    check_out,
    remove_partial_files,
    replacing,
    temporary_path,
    write_file,
    write_json,
    write_text,
    write_yaml,
)
from supcon.base.errors import RequestError, WorkError

# Control characters and Unicode's own line ends are folded by YAML.
text = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp")))
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda values: st.lists(values, max_size=3) | st.dictionaries(text, values, max_size=3),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("written")


@given(text)
def test_text_comes_back(folder: Path, content: str) -> None:
    write_text(folder / "a.txt", content)
    assert (folder / "a.txt").read_bytes().decode() == content


@given(plain)
def test_json_comes_back(folder: Path, value: Any) -> None:
    write_json(folder / "a.json", value)
    assert json.loads((folder / "a.json").read_text(encoding="utf-8")) == value


@given(st.dictionaries(text, plain, max_size=4))
def test_yaml_comes_back_in_its_order(folder: Path, value: dict[str, Any]) -> None:
    write_yaml(folder / "a.yaml", value)
    found = yaml.safe_load((folder / "a.yaml").read_text(encoding="utf-8"))
    assert found == value
    assert list(found) == list(value)


def test_a_file_is_replaced_in_one_piece(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "old")

    def fill(file: BinaryIO) -> None:
        file.write(b"ne")
        file.flush()
        assert path.read_text() == "old"
        file.write(b"w")

    write_file(path, fill)
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), OSError(errno.EIO, "broken disk")])
@pytest.mark.parametrize("before", [None, "old"])
def test_a_fill_that_fails_leaves_everything_as_it_was(
    tmp_path: Path, error: BaseException, before: str | None
) -> None:
    path = tmp_path / "a.txt"
    if before is not None:
        path.write_text(before)

    def fill(file: BinaryIO) -> None:
        file.write(b"half")
        raise error

    with pytest.raises(WorkError if isinstance(error, OSError) else type(error)):
        write_file(path, fill)
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == ({} if before is None else {"a.txt": before})


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_is_said_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, call: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, call, fail)
    path = tmp_path / "model.safetensors"
    with pytest.raises(WorkError) as caught:
        write_text(path, "weights")
    assert str(caught.value) == (
        f"The disk is full: {path} could not be written; free some space and repeat the command, train with --resume."
    )
    assert os.listdir(tmp_path) == []


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    write_text(small_disk / "first.txt", "a" * 30_000)
    with pytest.raises(
        WorkError, match=r"^The disk is full: \S+/second\.txt could not be written; free some space and repeat"
    ):
        write_text(small_disk / "second.txt", "b" * 60_000)
    assert os.listdir(small_disk) == ["first.txt"]
    write_text(small_disk / "second.txt", "b" * 20_000)
    with pytest.raises(WorkError, match="The disk is full"):
        write_text(small_disk / "first.txt", "c" * 30_000)
    assert (small_disk / "first.txt").read_text() == "a" * 30_000


_KILLED_WHILE_WRITING = """
import os, signal, sys
from pathlib import Path
from supcon.base.atomic_files import replacing

with replacing(Path(sys.argv[1])) as temporary:
    if sys.argv[2] == "folder":
        temporary.mkdir()
        temporary = temporary / "part"
    temporary.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def kill_while_writing(path: Path, kind: str = "file") -> Path:
    subprocess.run([sys.executable, "-c", _KILLED_WHILE_WRITING, str(path), kind], check=False)
    (left,) = path.parent.glob(".*.partial")
    return left


@pytest.mark.parametrize("kind", ["file", "folder"])
@pytest.mark.parametrize("name", ["table.json", "with [brackets] and * stars.json", "a" * 200])
def test_the_next_writing_removes_what_a_killed_one_left(tmp_path: Path, name: str, kind: str) -> None:
    kill_while_writing(tmp_path / name, kind)
    write_text(tmp_path / name, "whole")
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "whole"


@pytest.mark.parametrize("name", ["gallery", "a" * 200])
def test_a_folder_takes_the_place_of_a_folder(tmp_path: Path, name: str) -> None:
    for content in ("first", "second"):
        with replacing(tmp_path / name) as temporary:
            temporary.mkdir()
            (temporary / "part").write_text(content)
    assert (tmp_path / name / "part").read_text() == "second"
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


_OTHER_WRITER = """
import sys
from pathlib import Path
from supcon.base.atomic_files import replacing

with replacing(Path(sys.argv[1])) as temporary:
    temporary.mkdir()
    (temporary / "part").write_text("theirs")
"""


@pytest.mark.parametrize(("exists", "moment"), [(False, 1), (True, 1), (True, 2)])
def test_a_folder_that_another_process_has_put_there_meanwhile_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool, moment: int
) -> None:
    """The other process finishes right before the first or the second renaming of this one."""
    path, rename = tmp_path / "gallery", os.replace
    renamed: list[Path] = []

    def interrupted(source: Path, target: Path) -> None:
        renamed.append(source)
        if len(renamed) == moment:
            subprocess.run([sys.executable, "-c", _OTHER_WRITER, str(path)], check=True)
        rename(source, target)

    if exists:
        path.mkdir()
        (path / "part").write_text("old")
    monkeypatch.setattr(os, "replace", interrupted)
    with replacing(path) as temporary:
        temporary.mkdir()
        (temporary / "part").write_text("ours")
    assert len(renamed) > moment, "the renaming was interrupted, and done again or gone on with"
    assert (path / "part").read_text() == "ours"
    assert [entry.name for entry in tmp_path.iterdir()] == ["gallery"]


def test_a_folder_that_another_process_has_just_moved_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, rename = tmp_path / "gallery", os.replace
    path.mkdir()
    (path / "part").write_text("old")

    def interrupted(source: Path, target: Path) -> None:
        if source == path and path.exists():
            rename(path, tmp_path / "theirs")
        rename(source, target)

    monkeypatch.setattr(os, "replace", interrupted)
    with replacing(path) as temporary:
        temporary.mkdir()
        (temporary / "part").write_text("ours")
    assert (path / "part").read_text() == "ours"


def test_the_writing_of_another_path_leaves_it_alone(tmp_path: Path) -> None:
    left = kill_while_writing(tmp_path / "table.json")
    write_text(tmp_path / "table.csv", "whole")
    write_text(tmp_path / "table", "whole")
    assert left.exists()


def test_what_a_living_process_writes_is_never_removed(tmp_path: Path) -> None:
    with replacing(tmp_path / "table.json") as temporary:
        temporary.write_text("half")
        child = (
            "import sys; from pathlib import Path; from supcon.base.atomic_files import *; path = Path(sys.argv[1]); "
        )
        child += "remove_partial_files(path.parent); write_text(path, 'theirs')"
        subprocess.run([sys.executable, "-c", child, str(tmp_path / "table.json")], check=True)
        assert temporary.read_text() == "half"
    assert (tmp_path / "table.json").read_text() == "half"


def of_another_computer(left: Path) -> Path:
    name, writer, ending = left.name.rsplit(".", 2)
    return left.rename(left.with_name(f"{name}.elsewhere-{writer.split('-')[-1]}.{ending}"))


def test_only_the_holder_of_the_lock_removes_what_another_computer_left(tmp_path: Path) -> None:
    left = of_another_computer(kill_while_writing(tmp_path / "table.json"))
    write_text(tmp_path / "table.json", "whole")
    assert left.exists()
    remove_partial_files(tmp_path)
    assert not left.exists()


def test_files_that_are_not_ours_stay(tmp_path: Path) -> None:
    theirs = [tmp_path / name for name in (".table.json.partial", ".table.json.7.partial", "table.json.here-7.partial")]
    for path in theirs:
        path.touch()
    write_text(tmp_path / "table.json", "whole")
    remove_partial_files(tmp_path)
    assert all(path.exists() for path in theirs)


def test_a_temporary_name_fits_the_file_system(tmp_path: Path) -> None:
    assert len(temporary_path(tmp_path / ("a" * 255)).name.encode()) <= 255


def test_places_are_checked_before_the_work(tmp_path: Path) -> None:
    check_out(None)
    check_out(tmp_path / "new" / "deeper" / "file.csv")
    check_out(tmp_path / "new", folder=True)
    assert list(tmp_path.iterdir()) == [], "nothing is left"
    (tmp_path / "file").touch()
    with pytest.raises(RequestError, match=r"file/page\.html cannot be created: File exists; choose another"):
        check_out(tmp_path / "file" / "page.html")
    with pytest.raises(RequestError, match=r"cannot be created: Is a directory; choose another folder with --out\.$"):
        check_out(tmp_path)
    with pytest.raises(RequestError, match=r"file cannot be created: File exists"):
        check_out(tmp_path / "file", folder=True)
    with pytest.raises(WorkError, match=r"^/proc/new/page\.html could not be written"):
        check_out("/proc/new/page.html")
