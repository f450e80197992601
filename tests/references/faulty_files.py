"""A layer over Python's file operations that counts those below some folders and lets one of them fail.

SQLite is tested this way: every operation of a piece of work fails once, in turn, and nothing may be lost. An error is
a name of `errno`, such as ENOSPC, or `torn`: half of a write reaches the file, then the disk breaks (EIO).
"""

import builtins
import errno
import io
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ERRORS = ("ENOSPC", "EIO", "EACCES", "torn")
_BY_PATH = ("mkdir", "unlink", "remove", "rmdir", "replace", "rename", "link", "listdir", "scandir", "stat")


class FaultyFiles:
    """Counts file operations below `roots`; the operation number `at` (from 1) fails."""

    def __init__(self, roots: Sequence[Path], at: int = 0, error: str = "EIO") -> None:
        self.roots = tuple(str(root) for root in roots)
        self.at, self.error, self.count = at, error, 0
        self.failed = ""
        self._files: set[int] = set()

    def install(self) -> None:
        """For the rest of this process."""
        for name in _BY_PATH:
            setattr(os, name, self._checked(name, getattr(os, name)))
        self._open_descriptor, self._open, self._sync = os.open, io.open, os.fsync
        os.open, os.fsync = self.open_descriptor, self.sync
        io.open = builtins.open = self.open

    def check(self, what: str, path: Any) -> bool:
        """Counts an operation; True where a write has to be torn, an OSError where it has to fail."""
        self.count += 1
        if self.count != self.at:
            return False
        self.failed = f"{what} {path}"
        if self.error == "torn" and what == "write":
            return True
        code = errno.EIO if self.error == "torn" else getattr(errno, self.error)
        raise OSError(code, os.strerror(code), str(path))

    def below(self, path: Any) -> bool:
        return isinstance(path, str | bytes | os.PathLike) and os.fsdecode(path).startswith(self.roots)

    def _checked(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def checked(path: Any = ".", *others: Any, **options: Any) -> Any:
            if self.below(path):
                self.check(name, path)
            return call(path, *others, **options)

        return checked

    def open_descriptor(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if not self.below(path):
            return self._open_descriptor(path, flags, mode, dir_fd=dir_fd)
        self.check("open", path)
        descriptor = self._open_descriptor(path, flags, mode, dir_fd=dir_fd)
        self._files.add(descriptor)
        return descriptor

    def sync(self, fd: Any) -> None:
        self.check("fsync", fd)
        self._sync(fd)

    def open(self, file: Any, mode: str = "r", buffering: int = -1, *others: Any, **options: Any) -> Any:
        known = isinstance(file, int) and file in self._files
        if not known and not self.below(file):
            return self._open(file, mode, buffering, *others, **options)
        if not known:
            self.check("open", file)
        raw = _FaultyFile(self, file, mode.replace("b", "").replace("t", ""))
        buffer: Any = io.BufferedReader(raw) if raw.readable() else io.BufferedWriter(raw)
        return buffer if "b" in mode else io.TextIOWrapper(buffer, *others, **options)


class _FaultyFile(io.FileIO):
    def __init__(self, layer: FaultyFiles, file: Any, mode: str) -> None:
        self.layer = layer
        super().__init__(file, mode)

    def write(self, data: Any, /) -> int:
        view = memoryview(data).cast("B")
        if self.layer.check("write", self.name):
            super().write(view[: len(view) // 2])
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(self.name))
        return super().write(view)

    def readinto(self, buffer: Any, /) -> int:
        self.layer.check("read", self.name)
        return super().readinto(buffer)

    def readall(self) -> bytes:
        self.layer.check("read", self.name)
        return super().readall()

    def close(self) -> None:
        self.layer._files.discard(self.fileno() if not self.closed else -1)
        super().close()
