"""The two ways a command can end badly."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class RequestError(ValueError):
    """What was asked for cannot be done as asked; the sentence says what was given and expected. Exit code 2."""


class WorkError(RuntimeError):
    """The request was right and the work failed (a full disk, a loss that is not a number). Exit code 1."""


class OtherProcessError(WorkError):
    """Another of the processes that train together has failed; it has said why."""


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Says in one sentence that the disk is full or the folder cannot be written."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise WorkError(
                f"The disk is full: {path} could not be written; make room and go on with --resume."
            ) from error
        if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
            raise WorkError(
                f"{path} could not be written: {error.strerror}; choose another folder with --out."
            ) from error
        if error.errno in (errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG):
            raise RequestError(f"{path} cannot be made: {error.strerror}; choose another folder with --out.") from error
        raise
