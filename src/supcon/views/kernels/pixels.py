"""Between uint8 pixels and floats in [0, 1]."""

import torch
from torch import Tensor


def to_floats(images: Tensor) -> Tensor:
    """uint8 to float32 in [0, 1]; floats stay as they are."""
    return images.contiguous().to(torch.float32).mul_(1 / 255) if images.dtype == torch.uint8 else images


def to_bytes(images: Tensor) -> Tensor:
    """Floats in [0, 1] to the nearest uint8, overwriting them; uint8 stays as it is."""
    return images if images.dtype == torch.uint8 else truncate_to_bytes(images.mul_(255).add_(0.5))


def truncate_to_bytes(values: Tensor) -> Tensor:
    """Floats in [0, 256) to uint8."""
    # The way over int16 is vectorised on CPUs, the direct one is not.
    return values.to(torch.int16).to(torch.uint8)
