"""Atomic writing: files and folders are written to a temporary path, flushed to disk, then renamed."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import yaml

from supcon.base.errors import disk_errors


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields a temporary path next to `path`; the file or folder written there is renamed to `path` at the end.

    If the body raises, `path` stays unchanged. A file is replaced atomically. A folder cannot be: the old one is
    moved away first, so a crash in between leaves no folder, but never an incomplete one.
    """
    temporary = _partial(path)
    with disk_errors(path):
        try:
            yield temporary
            _flush_to_disk(temporary)
            _put(temporary, path)
            _flush_entry(path.parent)
        finally:
            _remove(temporary)


def _partial(path: Path) -> Path:
    """The temporary path; cut, because a name may have 255 bytes at most."""
    return path.with_name(f".{path.name[:100]}.{os.getpid()}.partial")


def _put(temporary: Path, path: Path) -> None:
    if not temporary.is_dir() or not path.is_dir():
        os.replace(temporary, path)
        return
    old = _partial(path.with_name(f"{path.name}.old"))
    os.replace(path, old)
    os.replace(temporary, path)
    _remove(old)


def remove_partial_files(folder: Path) -> None:
    """Removes what processes that were killed have left of `replacing` in a folder and below."""
    for path in list(folder.rglob(".*.partial")):
        number = path.name.split(".")[-2]
        if not number.isdecimal() or not _is_alive(int(number)):
            _remove(path)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


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
    with suppress(OSError):  # what remains is removed when the run is resumed; an earlier error matters more
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
