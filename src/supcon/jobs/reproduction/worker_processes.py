"""Starts several workers on this machine: processes that run the same command with one thread each."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from supcon.base.errors import WorkError
from supcon.base.progress import say

_POLL = 2.0
_ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def run_workers(count: int, words: Sequence[str], logs: Path, report: Callable[[], str]) -> None:
    """Starts `supcon WORDS` `count` times and waits for all; prints `report()` whenever it changes."""
    logs.mkdir(parents=True, exist_ok=True)
    workers = [_start(words, logs / f"worker{number}.log") for number in range(1, count + 1)]
    said = ""
    try:
        while any(worker.poll() is None for worker in workers):
            if (now := report()) != said:
                say(now)
                said = now
            time.sleep(_POLL)
    except BaseException:
        # Not SIGINT: a shell starts background commands, and so their children, with SIGINT ignored.
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait()
        raise
    failed = [number for number, worker in enumerate(workers, 1) if worker.returncode]
    if len(failed) == count:
        raise WorkError(f"All workers failed; {logs / 'worker1.log'} says why: {_last_line(logs / 'worker1.log')}")
    for number in failed:
        say(f"Worker {number} failed; {logs / f'worker{number}.log'} says why. The other workers ran its cells.")


def _start(words: Sequence[str], log: Path) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, **dict.fromkeys(_ONE_THREAD, "1")}
    with log.open("ab") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "supcon", *words], env=environment, stdout=file, stderr=subprocess.STDOUT
        )


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it is empty."
