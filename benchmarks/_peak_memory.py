"""Peak memory of a step beyond what was there before it, measured in a process of its own."""

import subprocess
import sys
from pathlib import Path

RESET = Path("/proc/self/clear_refs")
STATUS = Path("/proc/self/status")


def in_own_process(script: str, *arguments: str) -> float:
    """The number that a script prints as its last word when called with these arguments."""
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def start() -> float:
    """Forget the peak so far; MB in use now."""
    RESET.write_text("5")
    return _megabytes("VmRSS")


def beyond(before: float) -> float:
    """MB by which the peak since `start` is above what was in use then."""
    return _megabytes("VmHWM") - before


def _megabytes(name: str) -> float:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) / 1024
