"""Blurs that are the same for every image: Gaussian, out of focus, zoom."""

import math
from functools import lru_cache

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from supcon.evaluation.corruptions.levels import Levels
from supcon.evaluation.corruptions.linear_filters import gaussian, mean_of_zooms


def gaussian_blur(images: Levels, sigma: float) -> Levels:
    """A Gaussian blur."""
    return gaussian(images, sigma)


def zoom_blur(images: Levels, parameters: tuple[float, float]) -> Levels:
    """Zoom blur: the mean of the image at increasing zooms."""
    return mean_of_zooms(images, *parameters)


def defocus_blur(images: Levels, parameters: tuple[float, float]) -> Levels:
    """Defocus blur: convolution with a disk."""
    kernel = disk(*parameters).to(images.device)
    reach = kernel.shape[0] // 2
    padded = F.pad(images, [reach] * 4, mode="reflect").flatten(0, 1)[:, None]
    return F.conv2d(padded, kernel[None, None]).view(images.shape)


@lru_cache(maxsize=16)
def disk(radius: float, edge: float) -> Float[Tensor, "size size"]:
    """The published kernel: a binary disk, blurred by a 3x3 Gaussian (5x5 for a radius above 8) of deviation `edge`.

    As in the published code, the disk is drawn on a square of at least 17 pixels, which the blur pads by mirroring;
    the rows and columns of zeros around it are removed.
    """
    reach, around = (8, 1) if radius <= 8 else (math.ceil(radius), 2)
    offsets = torch.arange(-reach, reach + 1, dtype=torch.float64)
    inside = (offsets[:, None].square() + offsets.square() <= radius**2).double()
    line = (-0.5 * (torch.arange(-around, around + 1, dtype=torch.float64) / edge).square()).exp()
    blur = torch.outer(line, line) / line.sum().square()
    kernel = F.conv2d(F.pad((inside / inside.sum())[None, None], [around] * 4, mode="reflect"), blur[None, None])[0, 0]
    used = int(offsets[kernel.amax(0) > 1e-9].abs().max())
    return kernel[reach - used : reach + used + 1, reach - used : reach + used + 1].float()
