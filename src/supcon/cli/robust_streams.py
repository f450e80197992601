"""stdout and stderr that ignore a closed reader and escape what cannot be encoded, so that neither ends a training.

stdout has results: if they cannot be written, for example to a full disk, the command fails. Messages are dropped then.
"""

import errno
import io
import os
import sys
from typing import Any, TextIO

from supcon.base.errors import WorkError, system_reason

_GONE = (errno.EPIPE, errno.EIO, errno.EBADF, errno.ENXIO)
"""What writing gives when the reader of a pipe has ended (`| head -1`) or the terminal was closed."""


def make_streams_robust() -> None:
    """Replaces both streams of this process; called by the command only, not by use as a library."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # it was closed from the beginning
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
        elif isinstance(stream, io.TextIOWrapper):
            setattr(sys, name, _robust(stream, results=name == "stdout"))


def _robust(stream: io.TextIOWrapper, *, results: bool) -> TextIO:
    stream.flush()
    raw = RobustFile(stream.fileno(), "wb", closefd=False)
    raw.results = results
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors="backslashreplace",  # an ellipsis is \u2026 where the terminal knows ASCII only
        line_buffering=True,
    )


class RobustFile(io.FileIO):
    """Writes to a file descriptor; once its reader has closed it, or writing has failed, what is written is dropped."""

    results = True
    """Whether a failed writing is an error."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            self._drop()
            if self.results and error.errno not in _GONE:
                raise WorkError(
                    f"The output could not be written ({system_reason(error)}); free some space or send it elsewhere, "
                    "and repeat the command."
                ) from error
            return len(memoryview(data).cast("B"))

    def _drop(self) -> None:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self.fileno())  # also for the processes that this one starts
        os.close(null)
