"""Checks, before decoding starts, whether the decoded images fit in memory."""

import os
from pathlib import Path

from supcon.base.errors import RequestError

_GIGABYTE = 1e9


def available_memory() -> int:
    """Bytes that a process can allocate without swapping."""
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():  # counts the page cache as available, which sysconf does not
        for line in meminfo.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def allowed_memory(limit: float | None) -> float:
    """Bytes that decoded images may take: `limit` gigabytes, or half of the available memory."""
    return limit * _GIGABYTE if limit is not None else available_memory() / 2


def check_memory(needed: int, limit: float | None, what: object) -> None:
    """Raises an error if the decoded images do not fit in `limit` gigabytes (none: half of the available memory)."""
    allowed = allowed_memory(limit)
    if needed > allowed:
        raise RequestError(
            f"The images of {what} take {needed / _GIGABYTE:.1f} GB decoded, "
            f"but only {allowed / _GIGABYTE:.1f} GB are allowed; use --data.hold cache, a smaller --data.image_size, "
            "fewer images, or a larger --data.memory_limit."
        )
