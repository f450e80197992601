"""Files that must not be read: each is refused at once, where reading would wait or never end."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from supcon.base.bounded_reading import open_regular, read_bytes, read_text
from supcon.base.errors import RequestError

pytestmark = pytest.mark.timeout(20)

ODD: dict[str, Callable[[Path], object]] = {
    "fifo": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "terminal": lambda path: path.symlink_to("/dev/tty"),
    "folder": Path.mkdir,
    "loop": lambda path: path.symlink_to(path),
    "broken link": lambda path: path.symlink_to("/no/such/file"),
}


@pytest.mark.parametrize("kind", ODD)
def test_what_is_not_a_regular_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "odd"
    ODD[kind](path)
    with pytest.raises(OSError, match=r"regular file|directory|symbolic links|No such"):
        open_regular(path)
    with pytest.raises(RequestError, match=r"^\S+odd (is missing|cannot be read \(.+\)); repair it\.$"):
        read_text(path, "repair it")


def test_a_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100)
    assert read_bytes(tmp_path / "a", 100) == b"x" * 100
    with pytest.raises(OSError, match="larger than 99 bytes"):
        read_bytes(tmp_path / "a", 99)


def test_a_file_of_terabytes_takes_no_time(tmp_path: Path) -> None:
    with (tmp_path / "a").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(OSError, match="larger than"):
        read_bytes(tmp_path / "a", 1 << 30)


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        with pytest.raises(OSError, match="directory"):
            open_regular(tmp_path)
    assert len(os.listdir("/proc/self/fd")) == before
