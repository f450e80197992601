"""The exceptions that end a command, by exit code."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class RequestError(ValueError):
    """The request is invalid; the message says what was given, what is expected and what to do. Exit code 2."""


class WorkError(RuntimeError):
    """The request is valid but the work failed (a full disk, a loss that is NaN or infinite). Exit code 1."""


class OtherProcessError(WorkError):
    """Another process of a distributed training has failed and has reported why."""


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turns OSErrors about a full disk or a folder that cannot be written into errors with a clear message."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise WorkError(
                f"The disk is full: {path} could not be written; free some space and continue with --resume."
            ) from error
        if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
            raise WorkError(
                f"{path} could not be written: {error.strerror}; choose another folder with --out."
            ) from error
        if error.errno in (errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG):
            raise RequestError(
                f"{path} cannot be created: {error.strerror}; choose another folder with --out."
            ) from error
        raise
