"""A memory-mapped file of decoded images whose resident pages stay below a limit."""

import mmap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supcon.data.stratified_splits import Indices

_FOLIO = 1 << 21
"""Bytes that Linux maps at most around an accessed page."""
_STATUS = Path("/proc/self/statm")


class MappedImages:
    """Reads rows of a mapped file; above the limit, its pages are released to the system's page cache."""

    slow = False

    def __init__(self, path: Path, count: int, shape: tuple[int, int, int], limit: float) -> None:
        self.path, self.count, self.shape, self.limit = path, count, shape, limit
        # At least one row, and so few that with the pages mapped around them they stay below half of the limit.
        self._rows_at_once = max(1, int(limit / 2 / (int(np.prod(shape)) + 2 * _FOLIO)))
        self._before = 0
        self._map: mmap.mmap | None = None

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_map": None}  # a map cannot be pickled; another process opens its own

    def read(self, rows: Indices) -> NDArray[np.uint8]:
        pixels = np.empty((len(rows), *self.shape), dtype=np.uint8)
        for start in range(0, len(rows), self._rows_at_once):
            part = slice(start, start + self._rows_at_once)
            np.take(self._images(), rows[part], axis=0, out=pixels[part], mode="clip")
            self._release_pages()
        return pixels

    def _images(self) -> NDArray[np.uint8]:
        if self._map is None:
            with self.path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._before = _resident()
        return np.frombuffer(self._map, dtype=np.uint8).reshape(self.count, *self.shape)

    def _release_pages(self) -> None:
        if self._map is not None and _resident() - self._before > self.limit / 2:
            self._map.madvise(mmap.MADV_DONTNEED)


def _resident() -> int:
    """Bytes of file pages in this process's memory; 0 if /proc is missing, and pages are then never released."""
    if not _STATUS.exists():
        return 0
    return int(_STATUS.read_text().split()[2]) * mmap.PAGESIZE
