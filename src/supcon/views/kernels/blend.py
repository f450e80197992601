"""Brightness, contrast and saturation: blends of an image with black, with its mean luma or with its luma."""

from enum import IntEnum

import torch
from jaxtyping import Float, Int
from torch import Tensor

from supcon.views.kernels.luma import luma_weights


class Blend(IntEnum):
    """What an image is blended with."""

    BRIGHTNESS = 0
    CONTRAST = 1
    SATURATION = 2


def blend(
    pixels: Float[Tensor, "batch channel pixel"],
    blends: Int[Tensor, "batch"],
    factors: Float[Tensor, "batch"],
    bound: float = 1.0,
    grey: float | None = None,
) -> Float[Tensor, "batch channel pixel"]:
    """Blends every image by its own factor: 0 gives the other image, 1 changes nothing, above 1 extrapolates.

    Each blend is linear, so each image needs one 3x3 matrix and one offset, whatever its blend. Agrees with
    torchvision's adjust_brightness, adjust_contrast and adjust_saturation; grey images have no saturation. With
    `grey`, contrast blends with that level instead of the mean luma.
    """
    blends = blends.to(pixels.device).view(-1, 1, 1)
    factors = factors.to(pixels).view(-1, 1, 1)
    rest = 1 - factors
    weights = luma_weights(pixels)
    unit = torch.eye(len(weights), dtype=pixels.dtype, device=pixels.device)
    matrix = factors * unit + rest * (blends == Blend.SATURATION) * weights
    level = (pixels.mean(dim=2) @ weights).view(-1, 1, 1) if grey is None else grey
    return torch.baddbmm(rest * level * (blends == Blend.CONTRAST), matrix, pixels).clamp_(0, bound)
