"""The exceptions that end a command, by exit code, and the sentences for errors of the system."""

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST = 600
"""Characters of an error message; `--debug` shows all of a longer one."""


class RequestError(ValueError):
    """The request is invalid; the message says what was given, what is expected and what to do. Exit code 2."""


class WorkError(RuntimeError):
    """The request is valid but the work failed (a full disk, a loss that is NaN or infinite). Exit code 1."""


class TrainingFailedError(WorkError):
    """The training itself failed (NaN, infinite values, a collapsed encoder) and would fail again on any machine."""


class OtherProcessError(WorkError):
    """Another process of a distributed training has failed and has reported why."""


def readable(message: str) -> str:
    """The message on one line, without what a worker process has added, and cut in the middle if it is long.

    >>> readable("a\\n  b"), len(readable("x" * 5000))
    ('a b', 600)
    """
    text = " ".join(_of_worker(message).split())
    if len(text) <= LONGEST:
        return text
    end = LONGEST // 3  # the end has the advice
    return f"{text[: LONGEST - end - 3]}...{text[-end:]}"


def _of_worker(message: str) -> str:
    """What was raised in a worker of a data loader, which raises it again with the worker's traceback in front."""
    if not re.match(r"Caught \w+ in DataLoader worker process", message):
        return message
    *_, last = message.strip().splitlines()
    return re.sub(r"^[\w.]*(Error|Exception|Interrupt): ", "", last)


def system_reason(error: OSError) -> str:
    """What the system says about a failed operation, without the number."""
    return error.strerror or str(error) or type(error).__name__


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turns every OSError of writing `path` into an error with a clear message."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOMEM:
            raise MemoryError(f"There is not enough memory to write {path}.") from error
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise WorkError(
                f"The disk is full: {path} could not be written; free some space and repeat the command, train with "
                "--resume."
            ) from error
        if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
            raise WorkError(
                f"{path} could not be written: {error.strerror}; choose another folder with --out."
            ) from error
        if error.errno in (errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP, errno.EISDIR):
            raise RequestError(
                f"{path} cannot be created: {error.strerror}; choose another folder with --out."
            ) from error
        if error.errno == errno.ENOENT:
            raise WorkError(
                f"{path} could not be written: its folder is gone or does not take files; choose another folder with "
                "--out."
            ) from error
        raise WorkError(
            f"{path} could not be written: {system_reason(error)}; check the disk and repeat the command, train with "
            "--resume."
        ) from error
