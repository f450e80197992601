"""Pixels between two steps of a corruption, and the way back to bytes."""

import torch
from jaxtyping import Float, UInt8
from torch import Tensor

Levels = Float[Tensor, "batch channel height width"]
"""Images as 0..255 in float32: whole levels are exact in it, which 0..1 would not be."""

Layer = Float[Tensor, "batch height width"]
"""Something that lies over the image and has no colour of its own: flakes, fog, liquid."""

GREY_WEIGHTS = (0.299, 0.587, 0.114)
"""How bright red, green and blue are (ITU-R 601)."""


def whole(values: Float[Tensor, "..."]) -> UInt8[Tensor, "..."]:
    """Bytes, cut off as in the published sets, not rounded.

    A thousandth is added first: what float32 leaves just below a whole level is that level.
    """
    return (values + 1e-3).clamp(0, 255).to(torch.uint8)


def tint(colour: tuple[float, float, float], channels: int) -> Float[Tensor, "{channels} 1 1"]:
    """A colour as `channels` levels: itself, or how bright it is where images are grey."""
    if channels == 1:
        colour_grey = sum(weight * level for weight, level in zip(GREY_WEIGHTS, colour, strict=True))
        return torch.tensor([colour_grey]).view(1, 1, 1)
    return torch.tensor(colour).view(3, 1, 1)


def grey(images: Levels) -> Float[Tensor, "batch 1 height width"]:
    """How bright every pixel is."""
    if images.shape[1] == 1:
        return images
    weights = images.new_tensor(GREY_WEIGHTS).view(1, 3, 1, 1)
    return (images * weights).sum(1, keepdim=True)
