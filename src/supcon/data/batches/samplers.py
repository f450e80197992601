"""Which images come together in a step: all in a shuffled order, classes evenly, or m images of a class at a time.

An image never comes twice in one batch: its views would be positives that are nothing but copies.
"""

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from supcon.base.shapes import Labels, MultiLabels
from supcon.data.config import SamplerName

Draw = Callable[[int, int, torch.Generator], Iterator[Tensor]]
"""`draw(images, batch_size, generator)`: the index of every batch of one epoch, full batches only."""


def choose_draw(sampler: SamplerName, labels: Labels | MultiLabels, images_per_class: int) -> Draw:
    """The way to draw batches that goes by this name; unlabelled images (-1) count as a class of their own."""
    if sampler == "plain":
        return draw_plain
    return partial(draw_by_class, labels, 1 if sampler == "class-balanced" else images_per_class)


def draw_plain(images: int, batch_size: int, generator: torch.Generator) -> Iterator[Tensor]:
    """Every image at most once an epoch, in a random order."""
    order = torch.randperm(images, generator=generator)
    yield from order.split(batch_size)[: images // batch_size]


def draw_by_class(
    labels: Labels, group: int, images: int, batch_size: int, generator: torch.Generator
) -> Iterator[Tensor]:
    """As many batches as `draw_plain` has, classes taking turns with `group` images each.

    With `group` 1 every class has the same share of a batch, give or take one image. A class that has fewer images
    than its share gives what it has, and the others fill up.
    """
    classes = labels.unique().tolist()
    members = [Deck((labels == label).nonzero().flatten().tolist(), generator) for label in classes]
    turns = Deck(list(range(len(classes))), generator)
    for _ in range(images // batch_size):
        shares = _shares([len(deck.cards) for deck in members], turns, group, batch_size)
        batch = torch.tensor([card for deck, share in zip(members, shares, strict=True) for card in deck.deal(share)])
        # In a random order, so that every process of several gets a mixture.
        yield batch[torch.randperm(batch_size, generator=generator)]


def _shares(sizes: list[int], turns: "Deck", group: int, batch_size: int) -> list[int]:
    """How many images each class gives to one batch."""
    shares, missing = [0] * len(sizes), batch_size
    while missing:
        for label in turns.deal(min(len(sizes), -(-missing // group))):
            given = min(group, missing, sizes[label] - shares[label])
            shares[label] += given
            missing -= given
    return shares


class Deck:
    """Cards dealt in shuffled rounds: all come before any comes again, and one hand holds no card twice."""

    def __init__(self, cards: list[int], generator: torch.Generator) -> None:
        self.cards, self.generator = cards, generator
        self.rest: list[int] = []

    def deal(self, count: int) -> list[int]:
        """A hand of `count` different cards, at most all of them."""
        hand, self.rest = self.rest[:count], self.rest[count:]
        if len(hand) < count:
            order = torch.randperm(len(self.cards), generator=self.generator).tolist()
            held = set(hand)
            fresh = [self.cards[i] for i in order if self.cards[i] not in held]
            missing = count - len(hand)
            # What the hand already holds belongs to the new round too, at its end.
            self.rest, hand = fresh[missing:] + hand, hand + fresh[:missing]
        return hand
