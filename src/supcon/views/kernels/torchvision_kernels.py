"""The same crops and operations image by image, by torchvision: faster than batches for large images on a CPU."""

import math

import numpy as np
import torch
from PIL import Image
from torch import Tensor
from torchvision.transforms.v2 import functional

from supcon.views.config import OperationSet
from supcon.views.kernels.affine import whole_pixels
from supcon.views.kernels.operations import AUTHORS_CONTRAST_GREY, FILLS, NAMES, OperationName
from supcon.views.kernels.reflecting_affine import move_reflecting
from supcon.views.kernels.sharpness_cutout import sharpen

_BATCHED_PIXELS = 64 * 64
"""Up to this size batches are faster on one core, because of PIL's overhead per call."""


def image_by_image(images: Tensor, pixels: int) -> bool:
    """Whether processing images one by one is faster; `pixels` is the larger count of input and output."""
    return images.device.type == "cpu" and images.dtype == torch.uint8 and pixels > _BATCHED_PIXELS


def stack_as_pil(images: list[Tensor]) -> Tensor:
    """Stacks [channel, height, width] images, keeping PIL's memory layout (channels last)."""
    return torch.stack([image.permute(1, 2, 0) for image in images]).permute(0, 3, 1, 2)


def to_pil(image: Tensor) -> Image.Image:
    """Converts a uint8 [channel, height, width] tensor to a PIL image."""
    pixels = image.permute(1, 2, 0).contiguous().numpy()
    return Image.fromarray(pixels[..., 0] if pixels.shape[2] == 1 else pixels)


def from_pil(image: Image.Image) -> Tensor:
    """Converts a PIL image to a uint8 [channel, height, width] tensor with PIL's memory layout."""
    pixels = torch.from_numpy(np.array(image, dtype=np.uint8))
    return pixels.view(*pixels.shape[:2], -1).permute(2, 0, 1)


def crop(image: Image.Image | Tensor, box: tuple[int, int, int, int], size: tuple[int, int]) -> Tensor:
    """Crops the box (top, left, height, width) from a PIL or uint8 [channel, height, width] image and resizes it.

    With torchvision's antialiasing. Returns uint8 [channel, height, width], with PIL's memory layout.
    """
    top, left, height, width = box
    if isinstance(image, Tensor):
        # torch's resize of uint8 is vectorized for channels last.
        cut = image[:, top : top + height, left : left + width].permute(1, 2, 0).contiguous().permute(2, 0, 1)
    else:
        cut = from_pil(image.crop((left, top, left + width, top + height)))
    resized: Tensor = functional.resize(cut, list(size), antialias=True)
    return resized


def operate(
    image: Image.Image, name: OperationName, strength: float, place: tuple[float, float], operations: OperationSet
) -> Image.Image:
    """Applies an operation of AutoAugment or RandAugment to one image; `place` is the position of a cutout."""
    if name in ("shear-x", "shear-y", "translate-x", "translate-y", "rotate"):
        if operations == "authors":
            return _move_reflecting(image, name, strength)
        return _move(image, name, strength, FILLS[operations])
    if name == "contrast" and operations == "authors":
        grey = Image.new(image.mode, image.size, (AUTHORS_CONTRAST_GREY,) * len(image.getbands()))
        return Image.blend(grey, image, strength)
    if name == "solarize-add":
        table = [min(value + int(strength), 255) if value < 128 else value for value in range(256)]
        return image.point(table * len(image.getbands()))
    if name == "cutout":
        return _cut_out(image, strength, place, FILLS[operations])
    done: Image.Image = _TORCHVISION[name](image, strength)
    return done


_TORCHVISION = {
    "brightness": functional.adjust_brightness,
    "contrast": functional.adjust_contrast,
    "colour": functional.adjust_saturation,
    # Our implementation; PIL's takes twice the time.
    "sharpness": lambda image, strength: to_pil(sharpen(from_pil(image).unsqueeze(0), torch.tensor([strength]))[0]),
    "posterize": lambda image, strength: functional.posterize(image, int(strength)),
    "solarize": functional.solarize,
    "autocontrast": lambda image, _: functional.autocontrast(image),
    "equalize": lambda image, _: functional.equalize(image),
    "invert": lambda image, _: functional.invert(image),
    "identity": lambda image, _: image,
}


def _move_reflecting(image: Image.Image, name: OperationName, strength: float) -> Image.Image:
    moved = move_reflecting(from_pil(image).unsqueeze(0), torch.tensor([NAMES.index(name)]), torch.tensor([strength]))
    return to_pil(moved[0])


def _move(image: Image.Image, name: OperationName, strength: float, fill: int) -> Image.Image:
    fills = [fill] * len(image.getbands())
    if name == "rotate":
        rotated: Image.Image = functional.rotate(image, strength, fill=fills)
        return rotated
    across = name.endswith("x")
    if name.startswith("shear"):
        degrees = math.degrees(math.atan(strength))
        change = {"shear": [degrees, 0.0] if across else [0.0, degrees], "translate": [0, 0], "center": [0, 0]}
    else:
        pixels = int(whole_pixels(torch.tensor(strength * image.size[0 if across else 1])))
        change = {"shear": [0.0, 0.0], "translate": [pixels, 0] if across else [0, pixels]}
    moved: Image.Image = functional.affine(image, angle=0.0, scale=1.0, fill=fills, **change)
    return moved


def _cut_out(image: Image.Image, share: float, place: tuple[float, float], fill: int) -> Image.Image:
    corners = []
    for where, side in zip(place, image.size, strict=True):
        centre, reach = int(where * side), int(whole_pixels(torch.tensor(share * side)))
        corners.append((max(0, centre - reach), min(side, centre + reach)))
    (left, right), (top, bottom) = corners
    covered = image.copy()
    covered.paste(Image.new(image.mode, (right - left, bottom - top), (fill,) * len(image.getbands())), (left, top))
    return covered
