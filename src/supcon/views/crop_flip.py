"""The random crop and flip that every augmentation starts with."""

import math
from collections.abc import Sequence
from typing import NamedTuple, get_args

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.views.augmentation import Augmentation, shown_arguments
from supcon.views.config import CropLaw
from supcon.views.kernels.resample import crop_weights, resample
from supcon.views.kernels.torchvision_kernels import crop, image_by_image, stack_as_pil
from supcon.views.number_checks import check_choice, check_range, check_within
from supcon.views.steps.crop_boxes import ATTEMPTS, DISTRIBUTIONS
from supcon.views.steps.step import AnyStep


class Box(NamedTuple):
    """The crop box of each image, in pixels, whether it is mirrored, and its fraction of the image's area."""

    top: Tensor
    left: Tensor
    height: Tensor
    width: Tensor
    mirrored: Tensor
    share: Tensor


class CropFlipStep:
    """A crop of random area and aspect, resized to `size` (None: the image's own size), and a random flip.

    Boxes are drawn as in torchvision or as in TensorFlow (`steps/crop_boxes.py`). They are resized as in torchvision,
    bilinearly with antialiasing; TF resizes bilinearly without antialiasing.
    """

    shared_draws = 0
    on_bytes = True
    uniform_draws = 2 * ATTEMPTS + 3

    def __init__(
        self,
        size: int | None,
        area: tuple[float, float],
        aspect: tuple[float, float],
        flip_probability: float,
        distribution: CropLaw = "torchvision",
    ) -> None:
        check_choice("crop_law", distribution, get_args(CropLaw))
        check_range("crop_area", area, largest=1)
        check_range("crop_aspect", aspect)
        check_within("flip_probability", flip_probability, largest=1)
        self._size, self._area, self._aspect, self._flip_probability = size, area, aspect, flip_probability
        self._draw = DISTRIBUTIONS[distribution]

    def output_size(self, height: int, width: int) -> tuple[int, int]:
        """The size of the views."""
        return (height, width) if self._size is None else (self._size, self._size)

    def parameters(self, uniform: Tensor, height: int, width: int) -> Box:
        """Draws a box for each image: the first size that fits, at a uniform position."""
        if self._area[0] * height * width < 1:
            raise RequestError(
                f"images must be larger than a crop of {self._area[0]:g} of their area, got {height} x {width} pixels; "
                "raise crop_area or give larger images."
            )
        numbers = uniform.numpy()
        boxes = self._draw(numbers[:, :-1], height, width, self._area, self._aspect)
        share = (boxes.height * boxes.width / (height * width)).astype(np.float32)
        mirrored = numbers[:, -1] < self._flip_probability
        return Box(*map(torch.from_numpy, (*boxes, mirrored, share)))

    def apply(self, images: Tensor, parameters: Box) -> Tensor:
        """Uses torchvision image by image if that is faster, otherwise processes the whole batch at once."""
        size = self.output_size(*images.shape[-2:])
        if image_by_image(images, max(math.prod(size), math.prod(images.shape[-2:]))):
            return crop_each(list(images), parameters, size)
        return self.apply_batched(images, parameters)

    def apply_batched(self, images: Tensor, parameters: Box) -> Tensor:
        """Crops, resizes and flips all images by two batched matrix products."""
        size = self.output_size(*images.shape[-2:])
        top, left, box_height, box_width, mirrored, _ = (values.to(images.device) for values in parameters)
        rows = crop_weights(top, box_height, images.shape[-2], size[0])
        columns = crop_weights(left, box_width, images.shape[-1], size[1], mirrored)
        if images.dtype == torch.uint8:
            rows = rows.mul_(1 / 255)
        return resample(images, rows, columns)

    def describe(self, parameters: Box, index: int) -> list[str]:
        """The crop's percentage of the image's area, and the flip."""
        share = f"crop {100 * float(parameters.share[index]):.0f} %"
        return [share, "flip"] if parameters.mirrored[index] else [share]


def crop_each(images: Sequence[Image.Image | Tensor], boxes: Box, size: tuple[int, int]) -> Tensor:
    """Crops PIL images or uint8 [channel, height, width] tensors of any size one by one; returns uint8."""
    crops = []
    for image, top, left, height, width, mirrored in zip(images, *(v.tolist() for v in boxes[:5]), strict=True):
        resized = crop(image, (top, left, height, width), size)
        crops.append(resized.flip(2) if mirrored else resized)
    return stack_as_pil(crops)


class CropFlip(Augmentation):
    """Random crop and flip, nothing else; used by stage 2 and by the cross-entropy baseline on CIFAR."""

    def __init__(
        self,
        size: int | None = None,
        *,
        crop_area: tuple[float, float] = (0.08, 1.0),
        crop_aspect: tuple[float, float] = (3 / 4, 4 / 3),
        flip_probability: float = 0.5,
        crop_law: CropLaw = "torchvision",
    ) -> None:
        self._shown = shown_arguments(CropFlip, locals())
        self._step = CropFlipStep(size, crop_area, crop_aspect, flip_probability, crop_law)

    @property
    def steps(self) -> tuple[AnyStep, ...]:
        """A single step: crop and flip are one resampling."""
        return (self._step,)
