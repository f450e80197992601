"""Separable linear filters (Gaussian blurs and zooms) as two matrix products, along the height and the width."""

import math
from collections import Counter
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor


def along_both(
    images: Float[Tensor, "*rest height width"],
    down: Float[Tensor, "new_height height"],
    across: Float[Tensor, "new_width width"],
) -> Float[Tensor, "*rest new_height new_width"]:
    """Multiplies every image's columns by one matrix and its rows by the other."""
    return down.to(images.device) @ (images @ across.T.to(images.device))


def gaussian(
    images: Float[Tensor, "*rest height width"], sigma: float, *, truncate: float = 4.0, mirror: bool = False
) -> Float[Tensor, "*rest height width"]:
    """A Gaussian blur, truncated at `truncate` sigma; the border is padded by repeating pixels, or by mirroring."""
    if int(truncate * sigma + 0.5) == 0:
        return images
    height, width = images.shape[-2:]
    down = gaussian_matrix(height, sigma, truncate, mirror)
    return along_both(images, down, gaussian_matrix(width, sigma, truncate, mirror))


@lru_cache(maxsize=64)
def gaussian_matrix(size: int, sigma: float, truncate: float, mirror: bool) -> Float[Tensor, "{size} {size}"]:
    """The matrix of the blur along one axis, including the padding."""
    radius = int(truncate * sigma + 0.5)
    offsets = torch.arange(-radius, radius + 1)
    weights = (-0.5 * (offsets.double() / sigma).square()).exp()
    sources = torch.arange(size)[:, None] + offsets
    sources = (sources % (2 * size)).minimum((-1 - sources) % (2 * size)) if mirror else sources.clamp(0, size - 1)
    matrix = torch.zeros(size, size, dtype=torch.float64)
    return matrix.scatter_add_(1, sources, (weights / weights.sum()).expand(size, -1)).float()


@lru_cache(maxsize=256)
def zoom_matrix(size: int, factor: float) -> Float[Tensor, "{size} {size}"]:
    """The matrix that enlarges the centre of one axis by `factor`, with linear interpolation between pixel centres."""
    inner, outer = _zoomed_sizes(size, factor)
    rows = torch.arange(size) + (outer - size) // 2
    position = rows.double() * ((inner - 1) / max(outer - 1, 1))
    left = position.floor().clamp_max(inner - 1).long()
    share = (position - left).float()[:, None]
    first = (size - inner) // 2
    matrix = torch.zeros(size, size)
    matrix.scatter_add_(1, first + left[:, None], 1 - share)
    return matrix.scatter_add_(1, first + (left[:, None] + 1).clamp_max(inner - 1), share)


def zoomed(images: Float[Tensor, "*rest height width"], factor: float) -> Float[Tensor, "*rest height width"]:
    """The centre of every image, enlarged by `factor`."""
    height, width = images.shape[-2:]
    return along_both(images, zoom_matrix(height, factor), zoom_matrix(width, factor))


def mean_of_zooms(
    images: Float[Tensor, "*rest height width"], end: float, step: float
) -> Float[Tensor, "*rest height width"]:
    """The mean of the image and of its zooms by 1 to `end` in steps of `step`; equal zooms are computed once."""
    height, width = images.shape[-2:]
    factors = np.arange(1, end, step).tolist()
    kinds = {tuple(_zoomed_sizes(size, factor) for size in (height, width)): factor for factor in factors}
    counts = Counter(tuple(_zoomed_sizes(size, factor) for size in (height, width)) for factor in factors)
    total = images.clone()
    for sizes, factor in kinds.items():
        total.add_(zoomed(images, factor), alpha=counts[sizes])
    return total / (len(factors) + 1)


def _zoomed_sizes(size: int, factor: float) -> tuple[int, int]:
    """Number of pixels of an axis before and after the zoom."""
    inner = math.ceil(size / factor)
    return inner, round(inner * factor)
