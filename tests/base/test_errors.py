import errno
import os
from pathlib import Path

import pytest

from supcon.base.errors import RequestError, WorkError, disk_errors


def test_both_kinds_are_the_errors_that_python_users_expect() -> None:
    assert issubclass(RequestError, ValueError)
    assert issubclass(WorkError, RuntimeError)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk(code: int) -> None:
    with pytest.raises(WorkError) as caught, disk_errors(Path("runs/a")):
        raise OSError(code, os.strerror(code))
    assert str(caught.value) == (
        "The disk is full: runs/a could not be written; free some space and repeat the command, train with --resume."
    )


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS, errno.EPERM])
def test_a_folder_that_cannot_be_written_is_named(code: int) -> None:
    with pytest.raises(WorkError) as caught, disk_errors(Path("runs/a")):
        raise OSError(code, os.strerror(code))
    assert str(caught.value) == f"runs/a could not be written: {os.strerror(code)}; choose another folder with --out."


@pytest.mark.parametrize("code", [errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG])
def test_a_path_that_cannot_be_a_folder_is_a_wrong_request(code: int) -> None:
    with pytest.raises(RequestError) as caught, disk_errors(Path("runs/a")):
        raise OSError(code, os.strerror(code))
    assert str(caught.value) == f"runs/a cannot be created: {os.strerror(code)}; choose another folder with --out."


def test_a_folder_that_is_gone() -> None:
    with pytest.raises(WorkError, match="its folder is gone"), disk_errors(Path("runs/a")):
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))


def test_every_other_error_of_the_system_is_a_sentence_too() -> None:
    with (
        pytest.raises(WorkError, match=r"^runs/a could not be written: broken; check the disk"),
        disk_errors(Path("runs/a")),
    ):
        raise OSError(errno.EIO, "broken")


def test_errors_of_the_program_pass_through() -> None:
    with pytest.raises(KeyError), disk_errors(Path("runs/a")):
        raise KeyError("x")


def test_too_little_memory_is_not_the_disks_fault() -> None:
    with pytest.raises(MemoryError), disk_errors(Path("runs/a")):
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
