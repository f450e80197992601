"""Images in any form (paths, folders, Pillow images, arrays, tensors) as the uint8 batches that an encoder takes.

Every form goes through the decoder of evaluation, so that an image gives the same pixels whichever way it comes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from supcon.base.checked_arguments import checked_path
from supcon.base.errors import RequestError
from supcon.base.shapes import Images
from supcon.data import ImageSource, Layout, decoded_batches, describe_bad, list_files, picture
from supcon.evaluation import centre_crop, fitting_batch

ImagesLike = str | Path | Image.Image | Tensor | NDArray[Any] | Sequence[Any]
"""What `embed`, `predict` and `predict_proba` take:

- the path of an image file, or of a folder: all images below it, in sorted order;
- a Pillow image;
- an array or tensor of pixels, uint8 from 0 to 255 or float from 0 to 1: a batch [image, channel, height, width] or
  [image, height, width, channel], one image [channel, height, width] or [height, width, channel], or grey ones
  [image, height, width] and [height, width]. In three dimensions, a first or last axis of 1 or 3 is the channels;
- a list of any of these, of any sizes.
"""

Pixels = NDArray[np.uint8]
"""[image, channel, height, width]."""


def each_image(images: Any) -> list[ImageSource] | Pixels:
    """One entry per image, from what `ImagesLike` lists: a file or a Pillow image; a batch of pixels stays an array."""
    if isinstance(images, Tensor | np.ndarray):
        return as_pixels(images)
    if isinstance(images, str | Path):
        path = checked_path(images, "An image")
        return image_files(path) if path.is_dir() else [path]
    if isinstance(images, Image.Image):
        if 0 in images.size:
            raise RequestError(f"Images must have pixels, got a Pillow image of the size {images.size}.")
        return [images]
    if isinstance(images, bytes | bytearray | memoryview | Mapping) or not isinstance(images, Iterable):
        raise RequestError(
            f"Images must be paths, Pillow images, arrays, or a list of these, got {type(images).__name__}."
        )
    listed: list[ImageSource] = []
    for entry in images:
        some = each_image(entry)
        listed += _pictures(some) if isinstance(some, np.ndarray) else some
    return listed


def image_files(folder: Path) -> list[ImageSource]:
    """All files below a folder that have the suffix of an image format."""
    suffixes = Image.registered_extensions()
    files: list[ImageSource] = [path for path in list_files(folder) if path.suffix.lower() in suffixes]
    if not files:
        raise RequestError(f"There are no image files below {folder}; give a folder that has some, or single files.")
    return files


def prepared_batches(images: list[ImageSource] | Pixels, layout: Layout, batch_size: Any) -> Iterator[Images]:
    """The encoder's inputs, [batch, channel, image_size, image_size], in order.

    Images that cannot be read are an error that names them, raised after the last batch.
    """
    whole = isinstance(batch_size, Integral) and not isinstance(batch_size, bool)
    if batch_size is not None and (not whole or batch_size < 1):
        raise RequestError(f"batch_size must be a whole number of at least 1, got {batch_size!r}.")
    size = fitting_batch(layout.image_size) if batch_size is None else int(batch_size)
    if isinstance(images, np.ndarray) and images.shape[1:] == (layout.channels, *[layout.stored_size] * 2):
        for start in range(0, len(images), size):
            # Copied, because torch warns about arrays that may not be written.
            yield centre_crop(torch.from_numpy(np.array(images[start : start + size])), layout.image_size)
        return
    sources = _pictures(images) if isinstance(images, np.ndarray) else images
    bad: list[tuple[str, str]] = []
    for batch in decoded_batches(sources, layout, size):
        yield centre_crop(batch.images, layout.image_size)
        bad += [(_name(sources[row], row), why) for row, why in batch.bad.items()]
    if bad:
        raise RequestError(describe_bad(sorted(bad), len(sources)))


def _pictures(pixels: Pixels) -> list[ImageSource]:
    return [picture(image) for image in pixels]


def _name(source: ImageSource, row: int) -> str:
    return str(source) if isinstance(source, str | Path) else f"image {row}"


def as_pixels(given: Tensor | NDArray[Any]) -> Pixels:
    """An array or tensor of images as uint8 [image, channel, height, width] with 1 or 3 channels."""
    array = _as_bytes(_from_tensor(given) if isinstance(given, Tensor) else given)
    shape = array.shape
    if array.size == 0 and (array.ndim < 3 or len(array)):
        raise RequestError(f"Images must have pixels, got an array of the shape {list(shape)}.")
    if array.ndim == 2:
        return array[None, None]
    if array.ndim == 3:
        one = shape[0] in (1, 3) or shape[2] in (1, 3)
        return as_pixels(array[None]) if one else array[:, None]
    if array.ndim == 4 and shape[1] in (1, 3):
        return array
    if array.ndim == 4 and shape[3] in (1, 3):
        return array.transpose(0, 3, 1, 2)
    raise RequestError(
        "Arrays of images must be [image, channel, height, width] or [image, height, width, channel] with 1 or 3 "
        f"channels, or grey [image, height, width], got the shape {list(shape)}."
    )


def image_batch(given: Any) -> Pixels:
    """Like `as_pixels`, for what is known to be a batch: three dimensions are grey images."""
    array = _from_tensor(given) if isinstance(given, Tensor) else _from_list(given)
    if array.ndim not in (3, 4):
        raise RequestError(
            "Images must be an array [image, height, width], [image, height, width, channel] or [image, channel, "
            f"height, width], got the shape {list(array.shape)}."
        )
    return as_pixels(array[:, None] if array.ndim == 3 else array)


def _from_tensor(given: Tensor) -> NDArray[Any]:
    """The values of a tensor; an error for tensors that numpy has no array for."""
    try:
        array: NDArray[Any] = given.detach().cpu().numpy()
    except (TypeError, NotImplementedError) as error:
        raise RequestError(
            "Images must be dense tensors of a type that numpy has, uint8 or float32, got "
            f"{given.dtype}, {given.layout}, on {given.device}; convert them."
        ) from error
    return array


def _from_list(given: Any) -> NDArray[Any]:
    try:
        return np.asarray(given)
    except ValueError as error:
        raise RequestError("Images must be an array, so all of one size, got several sizes; resize them.") from error


def _as_bytes(array: NDArray[Any]) -> Pixels:
    if array.dtype == np.uint8:
        return array
    number = array.dtype.kind in "fiu" and array.size > 0
    if array.dtype.kind == "f" and (not number or (array.min() >= 0 and array.max() <= 1)):
        return np.rint(array * np.float32(255)).astype(np.uint8)
    values = f" with values from {array.min():g} to {array.max():g}" if number else ""
    raise RequestError(
        f"Pixels must be uint8 from 0 to 255 or float from 0 to 1, not normalized, got {array.dtype}{values}."
    )
