"""Exact mean and standard deviation of every channel, from integer sums over images."""

import numpy as np
from jaxtyping import Int64
from numpy.typing import NDArray

from supcon.base.shapes import Images

Sums = NDArray[np.int64]
"""[image, 2, channel]: the sum of an image's values and of their squares."""


def pixel_sums(pixels: NDArray[np.uint8]) -> Int64[np.ndarray, "image 2 channel"]:
    """The sums of every image of a batch [image, channel, height, width]."""
    flat = pixels.reshape(*pixels.shape[:2], -1)
    # float32 is exact for integers up to 2**24 only, the sum of 258 squares of 255. Integers do not round.
    squares = np.einsum("icp,icp->ic", flat, flat, dtype=np.int64)
    return np.stack([flat.sum(2, dtype=np.int64), squares], axis=1)


def statistics_of_sums(sums: Sums, pixels: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and standard deviation of pixels scaled to 0..1, for images of `pixels` pixels each."""
    count = len(sums) * pixels
    mean, std = [], []
    for total, squares in zip(*(column.tolist() for column in sums.sum(0)), strict=True):
        mean.append(total / (255 * count))
        # Python integers of any size: no cancellation.
        spread = float(np.sqrt((count * squares - total**2) / count**2)) / 255
        # A constant channel has a standard deviation of 0; dividing by 1 keeps the input finite.
        std.append(spread if spread >= 1e-6 else 1.0)
    return tuple(mean), tuple(std)


def channel_statistics(images: Images) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and standard deviation of every channel, for pixels scaled to 0..1.

    >>> import torch
    >>> channel_statistics(torch.tensor([0, 255], dtype=torch.uint8).view(2, 1, 1, 1))
    ((0.5,), (0.5,))
    """
    sums = [pixel_sums(chunk.numpy()) for chunk in images.split(256)]
    return statistics_of_sums(np.concatenate(sums), images.shape[2] * images.shape[3])
