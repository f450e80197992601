"""Pixels as floats between the steps of a corruption, and their conversion to bytes."""

import torch
from jaxtyping import Float, UInt8
from torch import Tensor

Levels = Float[Tensor, "batch channel height width"]
"""Images as 0..255 in float32: integer levels are exact, unlike in 0..1."""

Layer = Float[Tensor, "batch height width"]
"""A layer without colour that is put over the image, such as snow flakes, fog or liquid."""

GREY_WEIGHTS = (0.299, 0.587, 0.114)
"""Luma weights of red, green and blue (ITU-R 601)."""


def whole(values: Float[Tensor, "..."]) -> UInt8[Tensor, "..."]:
    """Converts to bytes, truncated as in the published sets, not rounded.

    A thousandth is added first, against float32 values just below an integer level.
    """
    return (values + 1e-3).clamp(0, 255).to(torch.uint8)


def tint(colour: tuple[float, float, float], channels: int) -> Float[Tensor, "{channels} 1 1"]:
    """A colour as `channels` levels: unchanged, or its luma for grey images."""
    if channels == 1:
        colour_grey = sum(weight * level for weight, level in zip(GREY_WEIGHTS, colour, strict=True))
        return torch.tensor([colour_grey]).view(1, 1, 1)
    return torch.tensor(colour).view(3, 1, 1)


def grey(images: Levels) -> Float[Tensor, "batch 1 height width"]:
    """The luma of every pixel."""
    if images.shape[1] == 1:
        return images
    weights = images.new_tensor(GREY_WEIGHTS).view(1, 3, 1, 1)
    return (images * weights).sum(1, keepdim=True)
