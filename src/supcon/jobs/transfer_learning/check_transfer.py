"""Checks what `supcon transfer` is given, before torch is imported: all data, before hours of work on the first."""

from collections.abc import Sequence
from pathlib import Path

from supcon.base.errors import RequestError
from supcon.data import check_present, check_spec


def check_transfer(
    data: Sequence[str | Path], seed: int = 0, data_root: str | None = None, *, download: bool = False
) -> None:
    """Raises an error for data that are not there, and for a seed that cannot be."""
    if not data:
        raise RequestError("supcon transfer needs at least one data set; give a name such as digits, or a folder.")
    if not 0 <= seed < 2**32:
        raise RequestError(f"The seed must be 0 or more and below 2**32, got {seed}.")
    for spec in map(str, data):
        check_spec(spec)
        if not download:
            check_present(spec, data_root)
