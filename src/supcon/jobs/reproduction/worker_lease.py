"""Which workers of a study are alive, where the storage has no heartbeat.

Optuna's heartbeat needs a database. With the journal file each worker holds a lock (flock) on a file of its own beside
the journal for as long as it lives: the kernel gives the lock back when the process ends, however it ends, so a lock
that can be taken belongs to a dead worker. There is no clock and no waiting time in it. It works for all processes of
one machine, and for several machines where their shared file system has flock (NFS from version 4 on).
"""

import fcntl
import os
import socket
import uuid
from pathlib import Path
from typing import IO


class WorkerLease:
    """This process as a worker: alive for others until it ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.name = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:6]}"
        self._file: IO[str] = (folder / f"{self.name}.lock").open("w")
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def close(self) -> None:
        """Ends the lease before the process does."""
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
