"""Images that are read when indexed, from a memory-mapped file or from their own files."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from supcon.base.shapes import Images
from supcon.data.storage.whole_images import WholeImages
from supcon.data.stratified_splits import Indices


@runtime_checkable
class Reader(Protocol):
    """Reads pixels of images by row."""

    shape: tuple[int, int, int]
    """Channels, height and width of every image."""
    slow: bool
    """Whether reading takes so long that worker processes should do it."""

    def read(self, rows: Indices) -> NDArray[np.uint8]:
        """The pixels of these rows, [row, channel, height, width]."""


class StoredImages:
    """Indexed like a tensor [image, channel, height, width]; indexing reads the images and returns a tensor."""

    def __init__(self, reader: Reader, rows: Indices) -> None:
        self.reader, self.rows = reader, rows

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def shape(self) -> tuple[int, int, int, int]:
        return (len(self.rows), *self.reader.shape)

    def __getitem__(self, key: Any) -> Images:
        rows = self.rows[key.numpy() if isinstance(key, torch.Tensor) else key]
        return torch.from_numpy(self.reader.read(rows))

    @property
    def uniform(self) -> bool:
        """Whether all stored images have the shape `shape`; otherwise it is the shape of their centre squares."""
        return not isinstance(self.reader, WholeImages)

    def whole(self, key: Any) -> list[Tensor]:
        """The images as they are stored, each [channel, height, width]."""
        if not isinstance(self.reader, WholeImages):
            return list(self[key])
        rows = self.rows[key.numpy() if isinstance(key, Tensor) else key]
        return [torch.from_numpy(image) for image in self.reader.read_whole(rows)]

    def pick(self, key: Any) -> "StoredImages":
        """A subset, without reading it."""
        return StoredImages(self.reader, self.rows[key.numpy() if isinstance(key, torch.Tensor) else key])
