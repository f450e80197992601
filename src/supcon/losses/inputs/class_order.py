"""A random cyclic order of every class, drawn once for a batch.

The rows of one image are adjacent. With `max_positives` = k, the positives of an anchor are the first k rows from the
first row of its image, without itself: its own other views, then rows of other images of the class, each equally
likely. This needs two numbers per row instead of a random matrix. All anchors of a class share its order.
"""

from typing import NamedTuple

import torch
from torch import Tensor


class ClassOrder(NamedTuple):
    """The position of every row in the cyclic order of its class."""

    row: Tensor
    """[row]: all rows, one class after the other, each in its order."""
    start: Tensor
    """[row]: index in `row` at which the row's class starts."""
    size: Tensor
    """[row]: number of rows of its class."""
    position: Tensor
    """[row]: its position in its class."""
    begin: Tensor
    """[row]: position in its class of the first row of its image."""

    def at(self, position: Tensor) -> Tensor:
        """[row] -> [row]: the rows at these positions of each row's class; positions wrap around."""
        return self.row[self.start + position % self.size] if len(self.row) else self.row


def draw_class_order(
    label: Tensor, image: Tensor, generator: torch.Generator | None, *, images: int | None = None
) -> ClassOrder:
    """Draws the order.

    Args:
        label: [row], the class of each row.
        image: [row], the index of the image that a row is a view of.
        generator: random generator; None: torch's default.
        images: number of images; None: one more than the largest index in `image`.
    """
    images = (int(image.max()) + 1 if len(image) else 0) if images is None else images
    row = _randperm(label.shape[0], label.device, generator)
    image_place = _randperm(images, label.device, generator)
    row = row[image_place[image[row]].argsort(stable=True)]
    row = row[label[row].argsort(stable=True)]
    place = torch.empty_like(row).scatter_(0, row, torch.arange(row.shape[0], device=row.device))
    sorted_label = label[row]
    start = torch.searchsorted(sorted_label, label)
    size = torch.searchsorted(sorted_label, label, right=True) - start
    first = torch.full_like(image_place, row.shape[0]).scatter_reduce_(0, image, place, "amin")[image]
    return ClassOrder(row, start, size, place - start, first - start)


def class_numbers(label: Tensor) -> Tensor:
    """[row]: the classes renumbered from 0 in ascending order, without a synchronization with the GPU."""
    ordered, row = label.sort()
    number = (ordered[1:] != ordered[:-1]).cumsum(0)
    return torch.zeros_like(row).scatter_(0, row[1:], number)


def _randperm(count: int, device: torch.device, generator: torch.Generator | None) -> Tensor:
    source = device if generator is None else generator.device
    return torch.randperm(count, generator=generator, device=source).to(device)
