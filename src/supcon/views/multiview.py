"""Makes several views of every image."""

from collections.abc import Callable

import torch
from torch import Tensor

from supcon.views.augmentation import Place
from supcon.views.number_checks import check_at_least_one


def make_views(
    images: Tensor,
    augmentation: Callable[..., Tensor],
    count: int = 2,
    generator: torch.Generator | None = None,
    place: Place | None = None,
) -> Tensor:
    """Augments every image `count` times, into [batch, view, channel, height, width].

    If several processes share a batch, `place` is the part of this one: with the same generator the views are then the
    same as those of a single process with the whole batch.

    >>> from supcon.views import CropFlip
    >>> make_views(torch.zeros(4, 3, 32, 32, dtype=torch.uint8), CropFlip(), count=3).shape
    torch.Size([4, 3, 3, 32, 32])
    """
    check_at_least_one("count", count)
    where = {} if place is None else {"place": place}
    first = augmentation(images, generator=generator, **where)
    views = first.new_empty(len(images), count, *first.shape[1:])
    views[:, 0] = first
    for view in range(1, count):
        views[:, view] = augmentation(images, generator=generator, **where)
    return views
