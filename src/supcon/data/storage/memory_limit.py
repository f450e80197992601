"""Whether a set of decoded images fits in memory, asked before decoding starts."""

from supcon.base.errors import RequestError
from supcon.base.memory import available_memory

_GIGABYTE = 1e9


def allowed_memory(limit: float | None) -> float:
    """Bytes that decoded images may take: `limit` gigabytes, or half of what is available."""
    return limit * _GIGABYTE if limit is not None else available_memory() / 2


def check_memory(needed: int, limit: float | None, what: object) -> None:
    """Refuses a set whose decoded images do not fit in `limit` gigabytes (none: half of what is available)."""
    allowed = allowed_memory(limit)
    if needed > allowed:
        raise RequestError(
            f"The images of {what} take {needed / _GIGABYTE:.1f} GB decoded, "
            f"and {allowed / _GIGABYTE:.1f} GB are allowed; use --data.hold cache, a smaller --data.image_size, "
            "fewer images, or raise --data.memory_limit."
        )
