"""Pillow's bilinear resize and the centre crop of evaluation as tensor operations, pixel for pixel.

An exported graph that includes the preprocessing has to give what `supcon.data` gives from the same pixels. The
resize operators of torch and ONNX round differently, so the computation of Pillow's `Resample.c` is repeated here: a
horizontal and a vertical pass with weights of 22 bits, each rounded to whole pixel values. In float64 all these
integers are exact. Every size is a tensor, so that `torch.export` keeps height and width dynamic.
"""

import torch
from torch import Tensor

_BITS = 2.0**22
"""The precision of the weights of Pillow's resize of 8-bit images."""
_LONGEST = 2.0
"""As in `supcon.data`: the middle of an image is kept up to this aspect ratio."""


def resize_and_crop(images: Tensor, stored_size: int, image_size: int) -> Tensor:
    """uint8 images [image, channel, height, width] of any size as evaluation uses them, [.., image_size, image_size].

    The shorter side is resized to `stored_size`, then the centre is cropped. Whole numbers in float64.
    """
    rows, columns = (torch.arange(side, dtype=torch.float64, device=images.device) for side in images.shape[-2:])
    height, width = rows[-1] + 1, columns[-1] + 1
    across = _weights(columns, width, height, stored_size, image_size)
    down = _weights(rows, height, width, stored_size, image_size)
    narrow = _rounded(images.to(torch.float64) @ across.T)
    return _rounded(down @ narrow)


def _rounded(sums: Tensor) -> Tensor:
    return torch.floor((sums + _BITS / 2) / _BITS).clamp(0, 255)


def _weights(positions: Tensor, side: Tensor, other: Tensor, stored_size: int, image_size: int) -> Tensor:
    """[image_size, side]: how much every pixel of a row or column counts for every pixel of the result."""
    shorter = torch.minimum(side, other)
    resized = torch.round(stored_size * torch.clamp(side / shorter, max=_LONGEST))
    # Of very long images only the centre is used.
    kept = torch.where(side > _LONGEST * shorter, _LONGEST * shorter, side)
    scale = kept / resized
    reach = torch.clamp(scale, min=1.0)
    first = torch.floor((resized - stored_size) / 2) + (stored_size - image_size) // 2
    pixels = torch.arange(image_size, dtype=torch.float64, device=positions.device) + first
    centres = ((side - kept) / 2 + (pixels + 0.5) * scale)[:, None]
    low = torch.floor(centres - reach + 0.5)
    high = torch.floor(centres + reach + 0.5)
    weights = torch.clamp(1 - torch.abs((positions - centres + 0.5) * (1 / reach)), min=0)
    weights = torch.where((positions >= low) & (positions < high), weights, 0.0)
    return torch.floor(weights / weights.sum(1, keepdim=True) * _BITS + 0.5)
