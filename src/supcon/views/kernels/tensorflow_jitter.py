"""Brightness, contrast and saturation as TensorFlow's image functions change them."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from supcon.views.kernels.blend import Blend


def adjust(
    pixels: Float[Tensor, "batch channel pixel"], parts: Int[Tensor, "batch"], amounts: Float[Tensor, "batch"]
) -> Float[Tensor, "batch channel pixel"]:
    """Changes one part of every image, in [0, 1], by its own amount.

    Brightness is added; contrast moves pixels from each channel's own mean; saturation multiplies S of HSV, which ends
    at 1. Agrees with TensorFlow 2.21's adjust_brightness, adjust_contrast and adjust_saturation, cut to the range.
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
    """HSV's S times a factor, at most 1; hue and V stay.

    S is (V - smallest channel) / V, so that every channel's distance from V is multiplied, at most until the smallest
    channel is 0.
    """
    value = pixels.amax(dim=1, keepdim=True)
    chroma = (value - pixels.amin(dim=1, keepdim=True)).clamp_(min=torch.finfo(pixels.dtype).tiny)
    return value - (value - pixels) * torch.minimum(factors.view(-1, 1, 1), value / chroma)
