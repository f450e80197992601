"""Conversion between uint8 pixels and floats in [0, 1]."""

import torch
from torch import Tensor


def to_floats(images: Tensor) -> Tensor:
    """uint8 to float32 in [0, 1]; floats are returned unchanged."""
    return images.contiguous().to(torch.float32).mul_(1 / 255) if images.dtype == torch.uint8 else images


def to_bytes(images: Tensor) -> Tensor:
    """Floats in [0, 1] to the nearest uint8, in place; uint8 is returned unchanged."""
    return images if images.dtype == torch.uint8 else truncate_to_bytes(images.mul_(255).add_(0.5))


def truncate_to_bytes(values: Tensor) -> Tensor:
    """Floats in [0, 256) to uint8."""
    # The conversion via int16 is vectorized on CPUs, the direct one is not.
    return values.to(torch.int16).to(torch.uint8)
