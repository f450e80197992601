"""Decodes a whole collection in worker processes: to fill memory or the cache, and to check the files.

Processes and not threads, because for a small JPEG Pillow spends most of its time holding the GIL.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from supcon.data.sources.encoded_images import EncodedImages, ImageSource, in_memory
from supcon.data.storage.channel_statistics import Sums, pixel_sums
from supcon.data.storage.decode import Layout, decode, reason

_CHUNK_BYTES = 2_000_000
_WORTH_WORKERS = 512
DIGEST = 16

Chunk = tuple[range, Tensor, Tensor, Tensor, list[tuple[int, str]]]
"""Rows, pixels, sums, digests, and the unreadable rows with the reason."""


@dataclass(frozen=True)
class Facts:
    """Facts about every image, collected while decoding."""

    sums: Sums
    digests: NDArray[np.uint8]
    """[image, 16]: a hash of the encoded content."""
    bad: dict[int, str]
    """The unreadable rows, with the reason."""


def decode_images(
    encoded: EncodedImages,
    layout: Layout,
    use: Callable[[range, NDArray[np.uint8]], object],
    advance: Callable[..., None],
) -> Facts:
    """Decodes all images and calls `use(rows, pixels)` for every chunk, in order; an unreadable image is zeros."""
    sums = np.zeros((len(encoded), 2, layout.channels), dtype=np.int64)
    digests = np.zeros((len(encoded), DIGEST), dtype=np.uint8)
    bad: dict[int, str] = {}
    for rows, pixels, some_sums, some_digests, unreadable in _chunks(encoded, layout):
        part = slice(rows.start, rows.stop)
        sums[part], digests[part] = some_sums.numpy(), some_digests.numpy()
        use(rows, pixels.numpy())
        bad.update(unreadable)
        advance(steps=len(rows))
    return Facts(sums, digests, bad)


def _chunks(encoded: EncodedImages, layout: Layout) -> Iterator[Chunk]:
    size = max(1, min(256, _CHUNK_BYTES // (layout.channels * layout.stored_size**2)))
    ranges = [range(start, min(start + size, len(encoded))) for start in range(0, len(encoded), size)]
    workers = (os.cpu_count() or 1) if len(encoded) >= _WORTH_WORKERS else 0
    yield from DataLoader(
        _Decode(encoded, layout),
        sampler=ranges,
        batch_size=None,
        num_workers=workers,
        collate_fn=_unchanged,
    )


def _unchanged(chunk: Any) -> Any:
    return chunk


class _Decode(Dataset[Chunk]):
    def __init__(self, encoded: EncodedImages, layout: Layout) -> None:
        self.encoded, self.layout = encoded, layout

    def __getitem__(self, rows: range) -> Chunk:
        layout = self.layout
        pixels = np.zeros((len(rows), layout.channels, layout.stored_size, layout.stored_size), dtype=np.uint8)
        digests = np.zeros((len(rows), DIGEST), dtype=np.uint8)
        bad = []
        for place, row in enumerate(rows):
            try:
                source, digests[place] = _read(self.encoded[row])
                pixels[place] = decode(source, layout).transpose(2, 0, 1)
            except Exception as error:  # Pillow's formats raise many exception types
                bad.append((row, reason(error)))
        return rows, torch.from_numpy(pixels), torch.from_numpy(pixel_sums(pixels)), torch.from_numpy(digests), bad


def content_digest(source: ImageSource) -> NDArray[np.uint8]:
    """The hash of an encoded image."""
    return _read(source)[1]


def _read(source: ImageSource) -> tuple[ImageSource, NDArray[np.uint8]]:
    """The image with its content in memory, and the hash of the content."""
    source = in_memory(source)
    content = source.getbuffer() if isinstance(source, BytesIO) else b""
    return source, np.frombuffer(hashlib.blake2b(content, digest_size=DIGEST).digest(), dtype=np.uint8)
