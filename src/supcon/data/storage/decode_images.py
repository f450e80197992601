"""Decodes a whole collection: to fill memory or the cache, and to check the files."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import Dataset

from supcon.data.sources.encoded_images import EncodedImages, ImageSource, in_memory
from supcon.data.storage.channel_statistics import Sums, pixel_sums
from supcon.data.storage.chunk_loader import load_chunks
from supcon.data.storage.decode import Layout, decode, middle_square, reason

_CHUNK_BYTES = 2_000_000
DIGEST = 16


class Chunk(NamedTuple):
    """Some images, decoded in a worker."""

    rows: range
    pixels: Tensor
    """The bytes of all its images, concatenated."""
    sizes: Tensor
    """[image, 2]: height and width."""
    sums: Tensor
    digests: Tensor
    bad: list[tuple[int, str]]
    """Rows that could not be read, with the reason."""


@dataclass(frozen=True)
class Facts:
    """Facts about every image, collected while decoding."""

    sums: Sums
    """Statistics of the centre squares."""
    sizes: NDArray[np.int32]
    """[image, 2]: height and width, as stored."""
    digests: NDArray[np.uint8]
    """[image, 16]: a hash of the encoded content."""
    bad: dict[int, str]
    """The unreadable rows, with the reason."""


def decode_images(
    encoded: EncodedImages,
    layout: Layout,
    use: Callable[[range, NDArray[np.uint8], NDArray[np.int32]], object],
    advance: Callable[..., None],
) -> Facts:
    """Decodes all images; calls `use(rows, bytes, sizes)` for every chunk, in order; bad images are black squares."""
    sums = np.zeros((len(encoded), 2, layout.channels), dtype=np.int64)
    sizes = np.zeros((len(encoded), 2), dtype=np.int32)
    digests = np.zeros((len(encoded), DIGEST), dtype=np.uint8)
    bad: dict[int, str] = {}
    size = max(1, min(256, _CHUNK_BYTES // layout.image_bytes))
    for chunk in load_chunks(_Decode(encoded, layout), 0, len(encoded), size, workers=True):
        part = slice(chunk.rows.start, chunk.rows.stop)
        sums[part], sizes[part], digests[part] = chunk.sums.numpy(), chunk.sizes.numpy(), chunk.digests.numpy()
        use(chunk.rows, chunk.pixels.numpy(), sizes[part])
        bad.update(chunk.bad)
        advance(steps=len(chunk.rows))
    return Facts(sums, sizes, digests, bad)


class _Decode(Dataset[Chunk]):
    def __init__(self, encoded: EncodedImages, layout: Layout) -> None:
        self.encoded, self.layout = encoded, layout

    def __getitem__(self, rows: range) -> Chunk:
        layout = self.layout
        black = np.zeros((layout.channels, layout.stored_size, layout.stored_size), dtype=np.uint8)
        images = [black] * len(rows)
        digests = np.zeros((len(rows), DIGEST), dtype=np.uint8)
        bad = []
        for index, row in enumerate(rows):
            try:
                source, digests[index] = _read(self.encoded[row])
                images[index] = decode(source, layout).transpose(2, 0, 1)
            except Exception as error:  # Pillow's formats raise many exception types
                bad.append((row, reason(error)))
        sums = pixel_sums(np.stack([middle_square(image) for image in images]))
        sizes = np.array([image.shape[1:] for image in images], dtype=np.int32)
        pixels = np.concatenate([image.reshape(-1) for image in images])
        return Chunk(
            rows=rows,
            pixels=torch.from_numpy(pixels),
            sizes=torch.from_numpy(sizes),
            sums=torch.from_numpy(sums),
            digests=torch.from_numpy(digests),
            bad=bad,
        )


def content_digest(source: ImageSource) -> NDArray[np.uint8]:
    """The hash of an encoded image."""
    return _read(source)[1]


def _read(source: ImageSource) -> tuple[ImageSource, NDArray[np.uint8]]:
    """The image with its content in memory, and the hash of the content."""
    source = in_memory(source)
    content = source.getbuffer() if isinstance(source, BytesIO) else b""
    return source, np.frombuffer(hashlib.blake2b(content, digest_size=DIGEST).digest(), dtype=np.uint8)
