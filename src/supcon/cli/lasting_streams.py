"""stdout and stderr that ignore a closed reader and escape what cannot be encoded, so that neither ends a training."""

import errno
import io
import os
import sys
from typing import Any, TextIO

_GONE = (errno.EPIPE, errno.EIO, errno.EBADF, errno.ENXIO)
"""What writing gives when the reader of a pipe has ended (`| head -1`) or the terminal was closed."""


def make_streams_last() -> None:
    """Replaces both streams of this process; called by the command only, not by use as a library."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):  # None if it was closed from the beginning
            setattr(sys, name, _lasting(stream))


def _lasting(stream: io.TextIOWrapper) -> TextIO:
    stream.flush()
    raw = LastingFile(stream.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors="backslashreplace",  # an ellipsis is \u2026 where the terminal knows ASCII only
        line_buffering=True,
    )


class LastingFile(io.FileIO):
    """Writes to a file descriptor; once its reader has closed it, what is written is dropped."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            if error.errno not in _GONE:
                raise
            self._drop()
            return len(memoryview(data).cast("B"))

    def _drop(self) -> None:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self.fileno())  # also for the processes that this one starts
        os.close(null)
