"""Brightness, contrast and saturation as in TensorFlow's image functions."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from supcon.views.kernels.blend import Blend


def adjust(
    pixels: Float[Tensor, "batch channel pixel"], parts: Int[Tensor, "batch"], amounts: Float[Tensor, "batch"]
) -> Float[Tensor, "batch channel pixel"]:
    """Adjusts brightness, contrast or saturation of every image, in [0, 1], by its own amount.

    Brightness is added; contrast scales the distance from each channel's mean; saturation multiplies S of HSV, at most
    to 1. Agrees with TensorFlow 2.21's adjust_brightness, adjust_contrast and adjust_saturation, clipped to [0, 1].
    """
    is_contrast, is_brightness, is_saturation = (
        parts == part for part in (Blend.CONTRAST, Blend.BRIGHTNESS, Blend.SATURATION)
    )
    factor = torch.where(is_contrast, amounts, 1).to(pixels).view(-1, 1, 1)
    added = torch.where(is_brightness, amounts, 0).to(pixels).view(-1, 1, 1)
    changed = torch.addcmul(added + (1 - factor) * pixels.mean(dim=2, keepdim=True), pixels, factor)
    rows = is_saturation.nonzero().squeeze(1)
    if len(rows):
        there = rows.to(pixels.device)
        changed[there] = multiply_saturation(pixels[there], amounts[rows].to(pixels))
    return changed.clamp_(0, 1)


def multiply_saturation(
    pixels: Float[Tensor, "batch channel pixel"], factors: Float[Tensor, "batch"]
) -> Float[Tensor, "batch channel pixel"]:
    """Multiplies S of HSV by a factor, at most to 1; hue and V stay unchanged.

    S is (V - smallest channel) / V, so every channel's distance from V is multiplied, at most until the smallest
    channel is 0.
    """
    value = pixels.amax(dim=1, keepdim=True)
    chroma = (value - pixels.amin(dim=1, keepdim=True)).clamp_(min=torch.finfo(pixels.dtype).tiny)
    return value - (value - pixels) * torch.minimum(factors.view(-1, 1, 1), value / chroma)
