"""Decodes images batch by batch, in order, for one pass over them: nothing is kept, unreadable files are reported."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from supcon.base.cores import usable_cores
from supcon.base.shapes import Images
from supcon.data.sources.encoded_images import EncodedImages, ImageSource, in_memory
from supcon.data.storage.decode import Layout, decode, middle_square, reason
from supcon.data.worker_loader import WorkerLoader

_WORTH_WORKERS = 512
"""Starting worker processes takes as long as decoding this many small images."""


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
    """The middle squares of all images from `start` on; many files are decoded by worker processes.

    Processes and not threads, because for a small JPEG Pillow spends most of its time holding the GIL.
    """
    ranges = [range(row, min(row + batch_size, len(sources))) for row in range(start, len(sources), batch_size)]
    many = len(sources) - start >= _WORTH_WORKERS and (isinstance(sources, EncodedImages) or _all_files(sources))
    yield from WorkerLoader(
        _Batches(sources, layout),
        sampler=ranges,
        batch_size=None,
        num_workers=usable_cores() if many else 0,
        collate_fn=_unchanged,
    )


def _all_files(sources: Sequence[ImageSource]) -> bool:
    return all(isinstance(source, str | Path) for source in sources)


def _unchanged(batch: Any) -> Any:
    return batch


class _Batches(Dataset[DecodedBatch]):
    def __init__(self, sources: EncodedImages | Sequence[ImageSource], layout: Layout) -> None:
        self.sources, self.layout = sources, layout

    def __getitem__(self, rows: range) -> DecodedBatch:
        side = self.layout.stored_size
        pixels = np.zeros((len(rows), self.layout.channels, side, side), dtype=np.uint8)
        bad = {}
        for place, row in enumerate(rows):
            try:
                pixels[place] = middle_square(decode(in_memory(self.sources[row]), self.layout).transpose(2, 0, 1))
            except Exception as error:  # Pillow's formats raise many exception types
                bad[row] = reason(error)
        images: Tensor = torch.from_numpy(pixels)
        return DecodedBatch(rows, images, bad)
