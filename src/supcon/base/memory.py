"""How much memory there is, and how much of it this process has."""

import os
import resource
import sys
from pathlib import Path

_MEMINFO, _STATUS = Path("/proc/meminfo"), Path("/proc/self/statm")


def available_memory() -> int:
    """Bytes that a process can still take without swapping."""
    if _MEMINFO.exists():  # counts the page cache as available, which sysconf does not
        for line in _MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def process_memory() -> int:
    """Bytes that this process has now; its peak where the system does not say."""
    if _STATUS.exists():
        return int(_STATUS.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return peak_memory()


def peak_memory() -> int:
    """The most bytes that this process has had."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # macOS counts bytes, Linux kilobytes
