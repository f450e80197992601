"""Reads regular files of a bounded size: a FIFO would wait for a writer, and a device such as /dev/zero never ends."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from supcon.base.errors import RequestError, system_reason

TEXT_LIMIT = 64 << 20
"""Bytes of settings, results and short lists."""
TABLE_LIMIT = 4 << 30
"""Bytes of a table with a row per image."""


def open_regular(path: str | Path) -> BinaryIO:
    """Opens a regular file for reading; OSError for anything else, without waiting."""
    # O_NONBLOCK: opening a FIFO would otherwise wait for a writer. It has no effect on regular files.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(kind):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_bytes(path: str | Path, limit: int) -> bytes:
    """The content of a regular file of at most `limit` bytes; OSError otherwise."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise OSError(errno.EFBIG, f"larger than {limit:,} bytes", str(path))
        return file.read(size)


def read_text(path: Path, advice: str, limit: int = TEXT_LIMIT, encoding: str = "utf-8") -> str:
    """The text of a file; a RequestError that ends in `advice` if it is missing, too large or not text."""
    try:
        return read_bytes(path, limit).decode(encoding)
    except FileNotFoundError as error:
        raise RequestError(f"{path} is missing; {advice}.") from error
    except OSError as error:
        raise RequestError(f"{path} cannot be read ({system_reason(error)}); {advice}.") from error
    except UnicodeDecodeError as error:
        raise RequestError(f"{path} is damaged (byte {error.start} is not UTF-8 text); {advice}.") from error
