"""A file of decoded images that is mapped into memory, of which a process keeps only so much."""

import mmap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supcon.data.splits import Indices

_AROUND = 1 << 16
"""Bytes that Linux maps around a page that is touched."""


class MappedImages:
    """Reads rows of a mapped file; after `limit` bytes the pages are given back to the system, which may keep them."""

    slow = False

    def __init__(self, path: Path, count: int, shape: tuple[int, int, int], limit: float) -> None:
        self.path, self.count, self.shape, self.limit = path, count, shape, limit
        row = int(np.prod(shape))
        self._most_touched = (row // _AROUND + 2) * _AROUND
        # At least one image at a time, whatever the limit.
        self._rows_at_once = max(1, int(limit / 2 / self._most_touched))
        self._touched = 0
        self._map: mmap.mmap | None = None

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_map": None, "_touched": 0}  # another process maps the file for itself

    def read(self, rows: Indices) -> NDArray[np.uint8]:
        pixels = np.empty((len(rows), *self.shape), dtype=np.uint8)
        for start in range(0, len(rows), self._rows_at_once):
            part = rows[start : start + self._rows_at_once]
            self._make_room(len(part))
            np.take(self._images(), part, axis=0, out=pixels[start : start + len(part)], mode="clip")
        return pixels

    def _images(self) -> NDArray[np.uint8]:
        if self._map is None:
            with self.path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return np.frombuffer(self._map, dtype=np.uint8).reshape(self.count, *self.shape)

    def _make_room(self, rows: int) -> None:
        self._touched += rows * self._most_touched
        if self._touched > self.limit and self._map is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)
            self._touched = rows * self._most_touched
