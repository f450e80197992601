"""Detects dead workers of a study if the storage has no heartbeat.

Optuna's heartbeat needs a database. With a journal file, each worker holds a lock (flock) on its own file next to the
journal. The kernel releases the lock when the process ends, even if it is killed, so a lock that can be acquired
belongs to a dead worker; no timeout is needed. This works for the processes of one machine, and for several machines if
their shared file system supports flock (NFS 4 or later).
"""

import fcntl
import os
import socket
import uuid
from pathlib import Path
from typing import IO


class WorkerLease:
    """The lock of this process, which shows other workers that it is alive."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.name = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:6]}"
        self._file: IO[str] = (folder / f"{self.name}.lock").open("w")
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def close(self) -> None:
        """Releases the lock before the process ends."""
        (self.folder / f"{self.name}.lock").unlink(missing_ok=True)
        self._file.close()


def is_alive(folder: Path, name: str) -> bool:
    """Whether the worker of that name still holds its lock in `folder`."""
    try:
        with (folder / f"{name}.lock").open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
