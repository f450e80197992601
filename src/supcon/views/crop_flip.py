"""The random crop and flip that every augmentation starts with."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.views.augmentation import Augmentation
from supcon.views.kernels.resample import crop_weights, resample
from supcon.views.kernels.torchvision_kernels import crop, image_by_image, stack_as_pil
from supcon.views.number_checks import check_range, check_within
from supcon.views.steps.step import AnyStep

_ATTEMPTS = 10
"""Boxes tried before the largest central one is taken, as in torchvision (TF tries 100)."""


class Box(NamedTuple):
    """Where each image is cut, in pixels, and whether it is mirrored."""

    top: Tensor
    left: Tensor
    height: Tensor
    width: Tensor
    mirrored: Tensor
    share: Tensor


class CropFlipStep:
    """A crop of random area and aspect, resized to `size` (the image's own size where None), and a random flip.

    Boxes are drawn as torchvision's RandomResizedCrop draws them, and resized as it resizes them, antialiased.
    """

    on_bytes = True
    uniform_draws = 2 * _ATTEMPTS + 3

    def __init__(
        self, size: int | None, area: tuple[float, float], aspect: tuple[float, float], flip_probability: float
    ) -> None:
        check_range("crop_area", area, largest=1)
        check_range("crop_aspect", aspect)
        check_within("flip_probability", flip_probability, largest=1)
        self._size, self._area, self._aspect, self._flip_probability = size, area, aspect, flip_probability

    def output_size(self, height: int, width: int) -> tuple[int, int]:
        """The size asked for."""
        return (height, width) if self._size is None else (self._size, self._size)

    def parameters(self, uniform: Tensor, height: int, width: int) -> Box:
        """The first box that fits, at an even place."""
        if self._area[0] * height * width < 1:
            raise RequestError(
                f"images must be larger than a crop of {self._area[0]:g} of their area, got {height} x {width} pixels; "
                "raise crop_area or give larger images."
            )
        numbers = uniform.numpy()
        box_height, box_width, found = self._first_that_fits(numbers[:, : 2 * _ATTEMPTS], height, width)
        place = np.where(found[:, None], numbers[:, -3:-1], 0.5)
        top = (place[:, 0] * (height - box_height + found)).astype(np.int64)
        left = (place[:, 1] * (width - box_width + found)).astype(np.int64)
        share = (box_height * box_width / (height * width)).astype(np.float32)
        mirrored = numbers[:, -1] < self._flip_probability
        return Box(*(torch.from_numpy(values) for values in (top, left, box_height, box_width, mirrored, share)))

    def _first_that_fits(
        self, uniform: NDArray[np.float32], height: int, width: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """Heights and widths, and whether any fitted; the largest central box where none did."""
        low, high = self._area
        area = height * width * (low + (high - low) * uniform[:, :_ATTEMPTS])
        narrow, wide = math.log(self._aspect[0]), math.log(self._aspect[1])
        aspect = np.exp(narrow + (wide - narrow) * uniform[:, _ATTEMPTS:])
        widths, heights = np.rint(np.sqrt(area * aspect)), np.rint(np.sqrt(area / aspect))
        fits = (widths >= 1) & (widths <= width) & (heights >= 1) & (heights <= height)
        rows, first = np.arange(len(uniform)), fits.argmax(axis=1)
        found = fits[rows, first]
        central_height, central_width = self._largest_box(height, width)
        box_height = np.where(found, heights[rows, first], central_height).astype(np.int64)
        box_width = np.where(found, widths[rows, first], central_width).astype(np.int64)
        return box_height, box_width, found

    def _largest_box(self, height: int, width: int) -> tuple[int, int]:
        aspect = min(max(width / height, self._aspect[0]), self._aspect[1])
        return min(height, round(width / aspect)), min(width, round(height * aspect))

    def apply(self, images: Tensor, parameters: Box) -> Tensor:
        """Image by image where torchvision is faster, otherwise all at once."""
        size = self.output_size(*images.shape[-2:])
        if image_by_image(images, max(math.prod(size), math.prod(images.shape[-2:]))):
            return crop_each(list(images), parameters, size)
        return self.apply_batched(images, parameters)

    def apply_batched(self, images: Tensor, parameters: Box) -> Tensor:
        """Crops, resizes and flips all images in two products."""
        size = self.output_size(*images.shape[-2:])
        top, left, box_height, box_width, mirrored, _ = (values.to(images.device) for values in parameters)
        rows = crop_weights(top, box_height, images.shape[-2], size[0])
        columns = crop_weights(left, box_width, images.shape[-1], size[1], mirrored)
        if images.dtype == torch.uint8:
            rows = rows.mul_(1 / 255)
        return resample(images, rows, columns)

    def describe(self, parameters: Box, index: int) -> list[str]:
        """The box's share of the image's area; the flip."""
        share = f"crop {100 * float(parameters.share[index]):.0f} %"
        return [share, "flip"] if parameters.mirrored[index] else [share]


def crop_each(images: Sequence[Image.Image | Tensor], boxes: Box, size: tuple[int, int]) -> Tensor:
    """Image by image, out of PIL images or uint8 [channel, height, width] ones of any size; gives uint8."""
    crops = []
    for image, top, left, height, width, mirrored in zip(images, *(v.tolist() for v in boxes[:5]), strict=True):
        resized = crop(image, (top, left, height, width), size)
        crops.append(resized.flip(2) if mirrored else resized)
    return stack_as_pil(crops)


class CropFlip(Augmentation):
    """Random crop and flip, nothing else: what stage 2 and the cross-entropy baseline on CIFAR use."""

    def __init__(
        self,
        size: int | None = None,
        *,
        crop_area: tuple[float, float] = (0.08, 1.0),
        crop_aspect: tuple[float, float] = (3 / 4, 4 / 3),
        flip_probability: float = 0.5,
    ) -> None:
        self._step = CropFlipStep(size, crop_area, crop_aspect, flip_probability)

    @property
    def steps(self) -> tuple[AnyStep, ...]:
        """The crop and the flip are one resampling."""
        return (self._step,)
