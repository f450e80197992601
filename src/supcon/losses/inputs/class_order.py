"""A random cyclic order of every class, drawn once for a batch.

The rows of one image stand side by side. An anchor's positives under a cap of k are the first k rows from where its
image begins, itself not counted: its own other views, then other images of the class, each equally likely. So a draw
needs two numbers for a row instead of a row of a matrix. The anchors of a class share the draw of its order.
"""

from typing import NamedTuple

import torch
from torch import Tensor


class ClassOrder(NamedTuple):
    """Where every row stands in the cyclic order of its class."""

    row: Tensor
    """[row]: all rows, class after class, each in its order."""
    start: Tensor
    """[row]: where the row's class starts in `row`."""
    size: Tensor
    """[row]: how many rows its class has."""
    position: Tensor
    """[row]: where it stands in its class."""
    begin: Tensor
    """[row]: where the first row of its image stands in its class."""

    def at(self, position: Tensor) -> Tensor:
        """[row] -> [row]: the rows that stand at these positions of each row's class, counted around."""
        return self.row[self.start + position % self.size] if len(self.row) else self.row


def draw_class_order(
    label: Tensor, image: Tensor, generator: torch.Generator | None, *, images: int | None = None
) -> ClassOrder:
    """Draw the order.

    Args:
        label: [row], the class of each row.
        image: [row], which image a row is a view of, from 0 up.
        generator: where the randomness comes from; None: torch's own.
        images: how many images there are; None: as many as the largest number in `image` says.
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
    """[row]: the classes numbered from 0 up in their order, without asking a GPU how many there are."""
    ordered, row = label.sort()
    number = (ordered[1:] != ordered[:-1]).cumsum(0)
    return torch.zeros_like(row).scatter_(0, row[1:], number)


def _randperm(count: int, device: torch.device, generator: torch.Generator | None) -> Tensor:
    source = device if generator is None else generator.device
    return torch.randperm(count, generator=generator, device=source).to(device)
