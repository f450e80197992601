"""Starts several workers on this machine: processes that run the same command with one thread each."""

import os
import signal
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
        raise WorkError(_all_failed(workers, logs))
    for number in failed:
        code, log = workers[number - 1].returncode, logs / f"worker{number}.log"
        why = _killed(code) if code < 0 else f"failed; {log} says why"
        say(f"Worker {number} {why}. The other workers ran its cells.")


def _start(words: Sequence[str], log: Path) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, **dict.fromkeys(_ONE_THREAD, "1")}
    with log.open("ab") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "supcon", *words], env=environment, stdout=file, stderr=subprocess.STDOUT
        )


def _all_failed(workers: "Sequence[subprocess.Popen[bytes]]", logs: Path) -> str:
    for number, worker in enumerate(workers, 1):
        if worker.returncode > 0:  # it had the time to say why
            log = logs / f"worker{number}.log"
            return f"All workers failed; {log} says why: {_last_line(log)}"
    return f"All workers failed; worker 1 {_killed(workers[0].returncode)}; the same command continues."


def _killed(code: int) -> str:
    """What a negative return code means, and the usual reason of a signal that nothing in the log can explain."""
    name = signal.Signals(-code).name
    reason = ", which the system sends when memory runs out" if name == "SIGKILL" else ""
    return f"was killed by signal {-code} ({name}){reason}"


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it is empty."
