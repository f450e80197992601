"""Checks, before decoding starts, whether the decoded images fit in memory."""

from supcon.base.errors import RequestError
from supcon.base.memory import available_memory

_GIGABYTE = 1e9


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
