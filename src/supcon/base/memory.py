"""The available memory, and the memory of this process."""

import os
import resource
import sys
from pathlib import Path

from supcon.base.memory_limits import memory_below_limits

_OUT_OF_MEMORY = (
    "can't allocate memory",
    "not enough memory",
    "out of memory",
    "Cannot allocate memory",
    "could not create a primitive",
    "could not create a memory",
)
"""Parts of the error messages of torch's allocators, of the system, and (the last two) of oneDNN."""
_MEMINFO, _STATUS = Path("/proc/meminfo"), Path("/proc/self/status")


def available_memory() -> int:
    """Bytes that a process can still take without swapping, and without exceeding its container's limit."""
    free, below = _free_memory(), memory_below_limits()
    return free if below is None else min(free, below)


def _free_memory() -> int:
    found = _kilobytes(_MEMINFO, "MemAvailable")
    if found is not None:  # counts the page cache as available, which sysconf does not
        return found * 1024
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def process_memory() -> int:
    """Bytes that this process has now; its peak where the system does not say."""
    found = _kilobytes(_STATUS, "VmRSS")
    return peak_memory() if found is None else found * 1024


def peak_memory() -> int:
    """The most bytes that this process has had."""
    found = _kilobytes(_STATUS, "VmHWM")
    if found is not None:  # ru_maxrss starts with the memory of the process that started this one
        return found * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # macOS counts bytes, Linux kilobytes


def _kilobytes(file: Path, name: str) -> int | None:
    """The value of a line such as `VmHWM:   1234 kB`; None where there is no such file or line."""
    if not file.exists():
        return None
    lines = (line.split() for line in file.read_text().splitlines())
    return next((int(words[1]) for words in lines if words and words[0] == f"{name}:"), None)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an allocation failed, on a GPU or in the machine's memory."""
    if isinstance(error, MemoryError):
        return True
    if isinstance(error, ImportError):  # in a folder mounted with noexec a reason follows these words
        return str(error).endswith("failed to map segment from shared object")
    return isinstance(error, RuntimeError | OSError) and any(words in str(error) for words in _OUT_OF_MEMORY)
