"""The luma (brightness) of pixels."""

import torch
from torch import Tensor

_RGB = (0.2989, 0.587, 0.114)
"""ITU-R 601-2, as in PIL and torchvision."""


def luma_weights(images: Tensor) -> Tensor:
    """The weight of each channel in the luma of float images; 1 for the single channel of grey images."""
    return torch.tensor(_RGB if images.shape[1] == 3 else (1.0,), dtype=images.dtype, device=images.device)


def luma(images: Tensor) -> Tensor:
    """The luma of float [batch, channel, ...] images, without the channel."""
    if images.shape[1] == 1:
        return images[:, 0]
    red, green, blue = images.unbind(1)
    return (red * _RGB[0]).add_(green, alpha=_RGB[1]).add_(blue, alpha=_RGB[2])
