"""Images stored with their own aspect ratios: views crop from the whole image, evaluation uses its centre square."""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from supcon.data.storage.decode import middle_square
from supcon.data.stratified_splits import Indices


@runtime_checkable
class SingleImages(Protocol):
    """A source of images with different shapes."""

    def image(self, row: int) -> NDArray[np.uint8]:
        """The image [channel, height, width]."""


class WholeImages:
    """Reads whole images one by one, or the centre squares of many as one array."""

    def __init__(self, images: SingleImages, shape: tuple[int, int, int], *, slow: bool = False) -> None:
        self.images, self.shape, self.slow = images, shape, slow

    def read(self, rows: Indices) -> NDArray[np.uint8]:
        squares = np.empty((len(rows), *self.shape), dtype=np.uint8)
        for index, image in enumerate(self.read_whole(rows)):
            squares[index] = middle_square(image)
        return squares

    def read_whole(self, rows: Indices) -> Iterator[NDArray[np.uint8]]:
        """Every image as stored, with an aspect ratio of at most 2."""
        return (self.images.image(row) for row in rows.tolist())


class WholeInMemory:
    """All images in memory, in the chunks in which they were decoded."""

    def __init__(self, channels: int) -> None:
        self.channels = channels
        self.kept: list[NDArray[np.uint8]] = []

    def keep(self, rows: range, pixels: NDArray[np.uint8], sizes: NDArray[np.int32]) -> None:
        """Adds the next chunk: the concatenated bytes of its images."""
        del rows
        # A copy: the worker's data is in shared memory, which is limited.
        ends = self.channels * sizes.prod(1, dtype=np.int64).cumsum()
        parts = np.split(pixels.copy(), ends[:-1])
        self.kept += [part.reshape(self.channels, *size) for part, size in zip(parts, sizes.tolist(), strict=True)]

    def image(self, row: int) -> NDArray[np.uint8]:
        return self.kept[row]
