"""A memory-mapped file of decoded images whose resident pages stay below a limit."""

import mmap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supcon.data.stratified_splits import Indices

_FOLIO = 1 << 21
"""Bytes that Linux maps at most around an accessed page."""
_STATUS = Path("/proc/self/statm")


class MappedFile:
    """The bytes of a file; if more than `limit` bytes are resident, the pages are released to the system."""

    def __init__(self, path: Path, limit: float) -> None:
        self.path, self.limit = path, limit
        self._before = 0
        self._map: mmap.mmap | None = None

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_map": None}  # a map cannot be pickled; another process opens its own

    def bytes(self) -> NDArray[np.uint8]:
        """The whole file; bytes are read from disk when they are accessed."""
        if self._map is None:
            with self.path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._before = _resident()
        return np.frombuffer(self._map, dtype=np.uint8)

    def make_room(self) -> None:
        """Releases the pages if too many are resident; called between two accesses."""
        if self._map is not None and _resident() - self._before > self.limit / 2:
            self._map.madvise(mmap.MADV_DONTNEED)


class MappedImages:
    """Reads rows of a mapped file of images of one shape."""

    slow = False

    def __init__(self, path: Path, count: int, shape: tuple[int, int, int], limit: float) -> None:
        self.file, self.count, self.shape = MappedFile(path, limit), count, shape
        # The number of rows whose pages, including those mapped around them, are below half of the limit; at least 1.
        self._rows_at_once = max(1, int(limit / 2 / (int(np.prod(shape)) + 2 * _FOLIO)))

    def read(self, rows: Indices) -> NDArray[np.uint8]:
        pixels = np.empty((len(rows), *self.shape), dtype=np.uint8)
        for start in range(0, len(rows), self._rows_at_once):
            part = slice(start, start + self._rows_at_once)
            images = self.file.bytes().reshape(self.count, *self.shape)
            np.take(images, rows[part], axis=0, out=pixels[part], mode="clip")
            self.file.make_room()
        return pixels


class MappedWhole:
    """Reads single images of a mapped file in which images have different shapes."""

    def __init__(self, path: Path, sizes: NDArray[np.int32], channels: int, limit: float) -> None:
        self.file, self.sizes, self.channels = MappedFile(path, limit), sizes, channels
        self._ends = channels * sizes.prod(1, dtype=np.int64).cumsum()

    def image(self, row: int) -> NDArray[np.uint8]:
        """A copy of the image [channel, height, width]."""
        height, width = self.sizes[row].tolist()
        end = int(self._ends[row])
        pixels = self.file.bytes()[end - self.channels * height * width : end].copy()
        self.file.make_room()
        return pixels.reshape(self.channels, height, width)


def _resident() -> int:
    """Bytes of file pages in this process's memory; 0 if /proc is missing, and pages are then never released."""
    if not _STATUS.exists():
        return 0
    return int(_STATUS.read_text().split()[2]) * mmap.PAGESIZE
