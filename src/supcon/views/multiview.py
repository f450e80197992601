"""Several views of every image."""

from collections.abc import Callable

import torch
from torch import Tensor


def make_views(
    images: Tensor,
    augmentation: Callable[..., Tensor],
    count: int = 2,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Augments every image `count` times, into [batch, view, channel, height, width].

    >>> from supcon.views import CropFlip
    >>> make_views(torch.zeros(4, 3, 32, 32, dtype=torch.uint8), CropFlip(), count=3).shape
    torch.Size([4, 3, 3, 32, 32])
    """
    if count < 1:
        raise ValueError(f"count must be at least 1, got {count}; say how many views of an image you want.")
    first = augmentation(images, generator=generator)
    views = first.new_empty(len(images), count, *first.shape[1:])
    views[:, 0] = first
    for view in range(1, count):
        views[:, view] = augmentation(images, generator=generator)
    return views
