"""Decodes images batch by batch, in order, for one pass over them: nothing is kept, unreadable files are reported."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from supcon.base.shapes import Images
from supcon.data.sources.encoded_images import EncodedImages, ImageSource, in_memory
from supcon.data.storage.chunk_loader import load_chunks
from supcon.data.storage.decode import Layout, decode, middle_square, reason


class DecodedBatch(NamedTuple):
    """Some images, [image, channel, stored_size, stored_size]."""

    rows: range
    images: Images
    """A black square where an image cannot be read."""
    bad: dict[int, str]
    """The rows that cannot be read, with the reason."""


def decoded_batches(
    sources: EncodedImages | Sequence[ImageSource], layout: Layout, batch_size: int, start: int = 0
) -> Iterator[DecodedBatch]:
    """The middle squares of all images from `start` on; many files are decoded by worker processes."""
    are_files = isinstance(sources, EncodedImages) or all(isinstance(source, str | Path) for source in sources)
    return load_chunks(_Batches(sources, layout), start, len(sources), batch_size, workers=are_files)


class _Batches(Dataset[DecodedBatch]):
    def __init__(self, sources: EncodedImages | Sequence[ImageSource], layout: Layout) -> None:
        self.sources, self.layout = sources, layout

    def __getitem__(self, rows: range) -> DecodedBatch:
        side = self.layout.stored_size
        pixels = np.zeros((len(rows), self.layout.channels, side, side), dtype=np.uint8)
        bad = {}
        for index, row in enumerate(rows):
            try:
                pixels[index] = middle_square(decode(in_memory(self.sources[row]), self.layout).transpose(2, 0, 1))
            except Exception as error:  # Pillow's formats raise many exception types
                bad[row] = reason(error)
        images: Tensor = torch.from_numpy(pixels)
        return DecodedBatch(rows, images, bad)
