"""Additional peak memory of a step, measured in a separate process."""

import subprocess
import sys
from pathlib import Path

RESET = Path("/proc/self/clear_refs")
STATUS = Path("/proc/self/status")


def in_own_process(script: str, *arguments: str) -> float:
    """Runs a script with these arguments and returns the number that it prints last."""
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def start() -> float:
    """Resets the peak; returns the MB in use."""
    RESET.write_text("5")
    return _megabytes("VmRSS")


def beyond(before: float) -> float:
    """MB of the peak since `start`, minus the memory that was in use then."""
    return _megabytes("VmHWM") - before


def _megabytes(name: str) -> float:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) / 1024
