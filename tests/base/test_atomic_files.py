import errno
import json
import os
from pathlib import Path
from typing import Any, BinaryIO

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from supcon.base.atomic_files import write_file, write_json, write_text, write_yaml
from supcon.base.errors import WorkError

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
