"""How the images of a batch are drawn: shuffled, balanced over classes, or m images of a class at a time.

No image is twice in a batch: it would be its own positive.
"""

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from supcon.base.shapes import Labels, MultiLabels
from supcon.data.config import SamplerName

Draw = Callable[[int, int, torch.Generator], Iterator[Tensor]]
"""`draw(images, batch_size, generator)`: the indices of every batch of one epoch, full batches only."""


def choose_draw(sampler: SamplerName, labels: Labels | MultiLabels, images_per_class: int) -> Draw:
    """The function that draws batches for a sampler's name; unlabelled images (-1) count as one class."""
    if sampler == "plain":
        return draw_plain
    return partial(draw_by_class, labels, 1 if sampler == "class-balanced" else images_per_class)


def draw_plain(images: int, batch_size: int, generator: torch.Generator) -> Iterator[Tensor]:
    """Every image at most once per epoch, in random order."""
    order = torch.randperm(images, generator=generator)
    yield from order.split(batch_size)[: images // batch_size]


def draw_by_class(
    labels: Labels, group: int, images: int, batch_size: int, generator: torch.Generator
) -> Iterator[Tensor]:
    """As many batches as `draw_plain` gives; classes, in random order, contribute `group` images at a time.

    With `group` 1 every class has the same share of a batch, up to one image. A class with fewer images than its share
    contributes all of them, and the other classes fill the batch.
    """
    classes = labels.unique().tolist()
    members = [ShuffledRounds((labels == label).nonzero().flatten().tolist(), generator) for label in classes]
    turns = ShuffledRounds(list(range(len(classes))), generator)
    for _ in range(images // batch_size):
        shares = _shares([len(rows.items) for rows in members], turns, group, batch_size)
        batch = torch.tensor([row for rows, share in zip(members, shares, strict=True) for row in rows.take(share)])
        # In random order, so that under DDP every process gets a mixture of classes.
        yield batch[torch.randperm(batch_size, generator=generator)]


def _shares(sizes: list[int], turns: "ShuffledRounds", group: int, batch_size: int) -> list[int]:
    """How many images each class contributes to one batch."""
    shares, missing = [0] * len(sizes), batch_size
    while missing:
        for label in turns.take(min(len(sizes), -(-missing // group))):
            given = min(group, missing, sizes[label] - shares[label])
            shares[label] += given
            missing -= given
    return shares


class ShuffledRounds:
    """Items drawn in shuffled rounds: every item comes once per round, and no draw contains an item twice."""

    def __init__(self, items: list[int], generator: torch.Generator) -> None:
        self.items, self.generator = items, generator
        self.rest: list[int] = []

    def take(self, count: int) -> list[int]:
        """The next `count` different items, at most all of them."""
        taken, self.rest = self.rest[:count], self.rest[count:]
        if len(taken) < count:
            order = torch.randperm(len(self.items), generator=self.generator).tolist()
            already = set(taken)
            fresh = [self.items[i] for i in order if self.items[i] not in already]
            missing = count - len(taken)
            # Items taken from the old round belong to the new round too, at its end.
            self.rest, taken = fresh[missing:] + taken, taken + fresh[:missing]
        return taken
