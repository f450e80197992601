"""Random crop boxes, drawn as in torchvision or as in TensorFlow."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supcon.views.config import CropLaw

ATTEMPTS = 10
"""Boxes that are tried before a central one is used, as in torchvision.

TF tries 100. One of its boxes in twenty is too small, so that ten attempts give the same distribution. They do not for
images more than seven times as long as wide, most of whose boxes are too small.
"""

_LEAST_COVERED = 0.1
"""TensorFlow rejects boxes that cover less than this fraction of the image (min_object_covered)."""

Floats = NDArray[np.floating]


class Boxes(NamedTuple):
    """Crop boxes, in pixels."""

    top: NDArray[np.int64]
    left: NDArray[np.int64]
    height: NDArray[np.int64]
    width: NDArray[np.int64]


Range = tuple[float, float]


def torchvision_boxes(uniform: Floats, height: int, width: int, area: Range, aspect: Range) -> Boxes:
    """As in RandomResizedCrop: uniform area, log-uniform aspect ratio, the first box that fits.

    If none fits, the largest central box with an allowed aspect ratio.
    """
    areas = height * width * (area[0] + (area[1] - area[0]) * uniform[:, :ATTEMPTS])
    narrow, wide = math.log(aspect[0]), math.log(aspect[1])
    aspects = np.exp(narrow + (wide - narrow) * uniform[:, ATTEMPTS : 2 * ATTEMPTS])
    widths, heights = np.rint(np.sqrt(areas * aspects)), np.rint(np.sqrt(areas / aspects))
    fits = (widths >= 1) & (widths <= width) & (heights >= 1) & (heights <= height)
    nearest = min(max(width / height, aspect[0]), aspect[1])
    central = min(height, round(width / nearest)), min(width, round(height * nearest))
    box_height, box_width, found = _first(heights, widths, fits, central)
    position = np.where(found[:, None], uniform[:, -2:], 0.5)
    top = (position[:, 0] * (height - box_height + found)).astype(np.int64)
    left = (position[:, 1] * (width - box_width + found)).astype(np.int64)
    return Boxes(top, left, box_height, box_width)


def tensorflow_boxes(uniform: Floats, height: int, width: int, area: Range, aspect: Range) -> Boxes:
    """`tf.image.sample_distorted_bounding_box` with the whole image as the object, as the authors call it.

    The aspect ratio is uniform, then the height is uniform between those of the smallest and the largest area, so that
    small boxes are more frequent than with a uniform area. Boxes below a tenth of the image are rejected. If none fits,
    or the box is the whole image, the central square is used.
    """
    least, most = area[0] * height * width, area[1] * height * width
    aspects = aspect[0] + (aspect[1] - aspect[0]) * uniform[:, ATTEMPTS : 2 * ATTEMPTS]
    low, high = np.rint(np.sqrt(least / aspects)), _tallest(aspects, most, height, width)
    low = np.minimum(low, high)
    heights = low + np.floor(uniform[:, :ATTEMPTS] * (high - low + 1))
    # Heights that rounding moved out of the range are corrected by one pixel.
    heights = heights + (heights * np.rint(heights * aspects) < least)
    heights = heights - (heights * np.rint(heights * aspects) > most)
    widths = np.rint(heights * aspects)
    areas = heights * widths
    fits = (areas >= max(least, _LEAST_COVERED * height * width)) & (areas <= most)
    fits &= (widths <= width) & (heights <= height) & ((widths != width) | (heights != height))
    side = min(height, width)
    box_height, box_width, found = _first(heights, widths, fits, (side, side))
    # TensorFlow's positions exclude the last possible one.
    top = np.where(found, uniform[:, -2] * (height - box_height), (height - box_height + 1) // 2)
    left = np.where(found, uniform[:, -1] * (width - box_width), (width - box_width + 1) // 2)
    return Boxes(top.astype(np.int64), left.astype(np.int64), box_height, box_width)


def _tallest(aspects: Floats, most: float, height: int, width: int) -> Floats:
    """The largest height whose box is neither larger than `most` nor wider or higher than the image."""
    tall = np.rint(np.sqrt(most / aspects))
    tall = np.where(np.rint(tall * aspects) > width, np.floor((width + 0.5 - 1e-7) / aspects), tall)
    tall = tall - (np.rint(tall * aspects) > width)
    least: Floats = np.minimum(tall, height)
    return least


def _first(
    heights: Floats, widths: Floats, fits: NDArray[np.bool_], central: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Height and width of each image's first box that fits, the central one's if none fits; and whether one fits."""
    rows, first = np.arange(len(fits)), fits.argmax(axis=1)
    found = fits[rows, first]
    box_height, box_width = (
        np.where(found, sides[rows, first], side).astype(np.int64)
        for sides, side in zip((heights, widths), central, strict=True)
    )
    return box_height, box_width, found


DISTRIBUTIONS: dict[CropLaw, Callable[[Floats, int, int, Range, Range], Boxes]] = {
    "torchvision": torchvision_boxes,
    "tensorflow": tensorflow_boxes,
}
