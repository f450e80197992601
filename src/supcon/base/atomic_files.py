"""Atomic writing: files and folders are written to a temporary path, flushed to disk, then renamed."""

import errno
import glob
import json
import os
import re
import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import yaml

from supcon.base.errors import disk_errors

_COMPUTER = re.sub(r"[^A-Za-z0-9]+", "_", socket.gethostname())[:60]
_TEMPORARY = re.compile(r"\.(?P<computer>[A-Za-z0-9_]*)-(?P<process>\d+)\.partial$")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields a temporary path next to `path`; the file or folder written there is renamed to `path` at the end.

    If the body raises, `path` stays unchanged. A file is replaced atomically. A folder cannot be: the old one is
    moved away first, so a crash in between leaves no folder, but never an incomplete one. If several processes write
    the same path, the last one wins.
    """
    _remove_left(path)
    temporary = temporary_path(path)
    with disk_errors(path):
        try:
            yield temporary
            _flush_to_disk(temporary)
            _put(temporary, path)
            _flush_entry(path.parent)
        finally:
            _remove(temporary)


def temporary_path(path: Path) -> Path:
    """A hidden path next to `path` that names the computer and the process that write there."""
    return path.with_name(f"{_beginning(path)}{os.getpid()}.partial")


def _beginning(path: Path) -> str:
    """Cut, because a name may have 255 bytes at most."""
    return f".{path.name[:100]}.{_COMPUTER}-"


def _before(path: Path) -> Path:
    """Where a folder is moved while another takes its place."""
    return path.with_name(f"old.{path.name}")


def _put(temporary: Path, path: Path) -> None:
    old = temporary_path(_before(path))
    while True:
        if temporary.is_dir() and path.is_dir():
            _remove(old)
            with suppress(FileNotFoundError):  # another process has moved it away already
                os.replace(path, old)
        try:
            os.replace(temporary, path)
            break
        except OSError as error:
            # Another process has put its folder there since; that one has to be moved away too.
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
    _remove(old)


def _remove_left(path: Path) -> None:
    """Removes what processes of this computer that were killed have left of the same path."""
    with suppress(OSError):  # a folder that cannot be listed: the writing itself will say why
        for place in (path, _before(path)):
            for left in path.parent.glob(f"{glob.escape(_beginning(place))}*.partial"):
                writer = _TEMPORARY.search(left.name)
                if writer and not _is_alive(int(writer["process"])):
                    _remove(left)


def remove_partial_files(folder: Path) -> None:
    """Removes what processes that were killed have left of `replacing` in a folder and below.

    The caller holds the lock of the folder, so that a process of another computer cannot be writing there.
    """
    for left in list(folder.rglob(".*.partial")):
        writer = _TEMPORARY.search(left.name)
        if writer and not (writer["computer"] == _COMPUTER and _is_alive(int(writer["process"]))):
            _remove(left)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def try_to_write(folder: Path) -> None:
    """Writes a file to the folder, and removes both: permissions alone do not tell whether a folder takes files."""
    missing = [above for above in (folder, *folder.parents) if not above.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = temporary_path(folder / "probe")
        probe.touch()
        probe.unlink()
    finally:
        for above in missing:
            with suppress(OSError):
                above.rmdir()


def check_out(path: str | Path | None, *, folder: bool = False) -> None:
    """Raises an error if a file, or a `folder` of files, cannot be written at `path`: before the work, not after it."""
    if path is None:
        return
    place = Path(path).expanduser()
    with disk_errors(place):
        if place.is_dir() and not folder:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(place))
        try_to_write(place if folder else place.parent)


def write_file(path: Path, fill: Callable[[BinaryIO], object]) -> None:
    """Writes a file atomically; `fill(file)` writes the content."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        fill(file)


def write_text(path: Path, text: str) -> None:
    write_file(path, lambda file: file.write(text.encode()))


def write_json(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def write_yaml(path: Path, value: Any) -> None:
    """With the marks of a document's start (---) and end (...): without its end, `read_yaml` knows that it was cut."""
    text = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, explicit_start=True, explicit_end=True)
    write_text(path, text)


def _flush_to_disk(path: Path) -> None:
    for file in [path] if path.is_file() else [entry for entry in path.rglob("*") if entry.is_file()]:
        _flush_entry(file)


def _flush_entry(path: Path) -> None:
    if os.name != "posix" and path.is_dir():  # folders cannot be opened on Windows
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(path: Path) -> None:
    with suppress(OSError):  # what remains is removed by the next writing; an earlier error matters more
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
