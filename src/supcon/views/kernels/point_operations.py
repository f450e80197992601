"""Operations that map each pixel value to a new value: posterize, solarize, solarize-add, autocontrast, equalize,
invert."""

import torch
from jaxtyping import Float, Int, Shaped, UInt8
from torch import Tensor

from supcon.views.kernels.operations import NAMES, OperationName
from supcon.views.kernels.pixels import truncate_to_bytes

_FIRST = NAMES.index("posterize")


def map_points(
    images: Shaped[Tensor, "batch channel height width"], kinds: Int[Tensor, "batch"], strengths: Float[Tensor, "batch"]
) -> Shaped[Tensor, "batch channel height width"]:
    """Applies an operation to every image; `kinds` must be sorted. Agrees with torchvision's operations.

    For uint8 images an operation is a table of 256 values per channel, so that a whole batch is
    one lookup, whatever its operations; for floats it is computed for every pixel.
    """
    counts = kinds.sub(_FIRST).bincount().tolist()
    levels = strengths.to(images.device).view(-1, 1, 1).split(counts)
    blocks = [(NAMES[_FIRST + i], *block) for i, block in enumerate(zip(images.split(counts), levels, strict=True))]
    if images.dtype == torch.uint8:
        tables = torch.cat([_table(name, block, level) for name, block, level in blocks if len(block)])
        return tables.gather(2, images.flatten(2).long()).view_as(images)
    return torch.cat([_map_floats(name, block, level) for name, block, level in blocks if len(block)])


def _table(name: OperationName, images: Tensor, level: Tensor) -> Tensor:
    if name == "equalize":
        return equalize_tables(images)
    values = torch.arange(256.0, device=images.device).expand(len(images), images.shape[1], 256)
    stretched = name == "autocontrast"
    mapped = _stretch(values, images.flatten(2), 255) if stretched else _formula(name, values, level, 255)
    return truncate_to_bytes(mapped)


def _map_floats(name: OperationName, images: Tensor, level: Tensor) -> Tensor:
    values = images.flatten(2)
    if name == "equalize":
        # As torchvision divides [0, 1] into 256 equal parts.
        coarse = truncate_to_bytes(values * (256 - 1e-3))
        mapped = equalize_tables(coarse).gather(2, coarse.long()).to(images.dtype).div_(255)
    elif name == "autocontrast":
        mapped = _stretch(values, values, 1)
    else:
        mapped = _formula(name, values, level.to(images.dtype), 1)
    return mapped.view_as(images)


def _formula(name: OperationName, values: Tensor, level: Tensor, bound: int) -> Tensor:
    """The operations without statistics of the image, on values in [0, bound]."""
    if name == "posterize":
        width = (256 if bound == 255 else 1) / 2**level
        return torch.minimum(values / width, 2**level - 1).floor_() * width
    if name == "solarize":
        return torch.where(values < level * bound / 255, values, bound - values)
    if name == "solarize-add":
        added = (values + level * bound / 255).clamp_(max=bound)
        return torch.where(values < 128 * bound / 255, added, values)
    return bound - values


def _stretch(values: Tensor, pixels: Tensor, bound: int) -> Tensor:
    """Autocontrast: the darkest pixel of a channel becomes 0, the brightest `bound`; constant channels stay
    unchanged."""
    low = pixels.amin(dim=2, keepdim=True).to(values.dtype)
    high = pixels.amax(dim=2, keepdim=True).to(values.dtype)
    flat = high == low
    scale = torch.where(flat, 1.0, (high - low) * (1 / bound))
    return ((values - torch.where(flat, 0.0, low)) / scale).clamp_(0, bound)


def equalize_tables(images: UInt8[Tensor, "batch channel *size"]) -> UInt8[Tensor, "batch channel 256"]:
    """The table that equalizes the histogram of each channel of uint8 images, as PIL computes it."""
    batch, channels = images.shape[:2]
    histogram = _histogram(images)
    below = histogram.cumsum(dim=2) - histogram
    pixels = images.flatten(2).shape[2]
    # As in PIL, the step counts all pixels except those of the brightest occurring value.
    brightest = images.flatten(2).amax(dim=2, keepdim=True).long()
    step = (pixels - histogram.gather(2, brightest)) // 255
    equalized = ((below + step // 2) // step.clamp(min=1)).clamp_(0, 255)
    unchanged = torch.arange(256, device=images.device).expand(batch, channels, 256)
    return torch.where(step > 0, equalized, unchanged).to(torch.uint8)


def _histogram(images: Tensor) -> Tensor:
    """The histogram of each channel, without synchronizing with the device."""
    values = images.flatten(2).to(torch.int64)
    counts = torch.zeros(*images.shape[:2], 256, dtype=torch.int64, device=images.device)
    return counts.scatter_add_(2, values, torch.ones_like(values[:1, :1, :1]).expand_as(values))
