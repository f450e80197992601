"""Decodes a list of images in threads to one tensor; unreadable files are listed."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from supcon.base.cores import usable_cores
from supcon.base.errors import RequestError
from supcon.base.shapes import Images
from supcon.data.sources.encoded_images import ImageSource
from supcon.data.storage.decode import Layout, decode, describe_bad, middle_square, reason


def decode_all(sources: Sequence[ImageSource], layout: Layout, advance: Callable[[], None] = lambda: None) -> Images:
    """The centre squares of all images, [image, channel, stored_size, stored_size]; calls `advance` after each."""
    shape = (len(sources), layout.channels, layout.stored_size, layout.stored_size)
    pixels: NDArray[np.uint8] = np.empty(shape, dtype=np.uint8)
    bad: list[tuple[str, str]] = []

    def decode_one(index: int) -> None:
        try:
            pixels[index] = middle_square(decode(sources[index], layout).transpose(2, 0, 1))
        except Exception as error:  # Pillow's formats raise many exception types
            bad.append((_name(sources[index], index), reason(error)))
        advance()

    # Pillow releases the GIL while it decodes.
    with ThreadPoolExecutor(max_workers=usable_cores()) as pool:
        list(pool.map(decode_one, range(len(sources))))
    if bad:
        raise RequestError(describe_bad(sorted(bad), len(sources)))
    return torch.from_numpy(pixels)


def _name(source: ImageSource, index: int) -> str:
    return f"image {index}" if isinstance(source, Image.Image) else str(source)
