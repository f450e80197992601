"""Which pairs of anchor and column a denominator leaves out: itself, its class, its weighted positives, or none.

A rule says for every strip of anchors which span of columns can hold left-out pairs, so that all other tiles need no
mask at all. With rows sorted by class, those spans are a narrow band around the diagonal.
"""

from typing import Protocol

import torch
from torch import Tensor

from supcon.losses.tiles import Span


class Exclusion(Protocol):
    """The pairs that a sum over columns leaves out."""

    def spans(self, anchors: int, height: int) -> list[Span]:
        """For each strip of `height` anchors, the columns that can be left out."""
        ...

    def exclude(self, tile: Tensor, rows: slice, part: slice, value: float) -> None:
        """Overwrite the left-out pairs of these anchors and columns."""
        ...


class NothingExcluded:
    """Every column counts: a queue never holds the anchor itself."""

    def spans(self, anchors: int, height: int) -> list[Span]:
        return [(0, 0)] * -(-anchors // height)

    def exclude(self, tile: Tensor, rows: slice, part: slice, value: float) -> None:
        """Leave the tile as it is."""


class SelfExcluded:
    """Leaves out the anchor itself, so that the sum goes over A(i)."""

    def __init__(self, own: Tensor | None) -> None:
        """Take each anchor's own column; None: the anchors are the columns."""
        self.own = own

    def spans(self, anchors: int, height: int) -> list[Span]:
        if self.own is None:
            return [(start, min(start + height, anchors)) for start in range(0, anchors, height)]
        return outer_spans(self.own, self.own + 1, height)

    def exclude(self, tile: Tensor, rows: slice, part: slice, value: float) -> None:
        exclude_itself(tile, self.own, rows, part, value)


class ClassExcluded:
    """Leaves out the anchor's class and itself, so that the sum goes over N(i)."""

    def __init__(self, anchor_class: Tensor, column_class: Tensor, is_sorted: bool) -> None:
        """Take the classes of anchors and of columns, and whether the columns are in the order of their classes."""
        self.anchor_class, self.column_class, self.is_sorted = anchor_class, column_class, is_sorted

    def spans(self, anchors: int, height: int) -> list[Span]:
        if self.is_sorted:
            return class_spans(self.anchor_class, self.column_class, height)
        return [(0, len(self.column_class))] * -(-anchors // height)

    def exclude(self, tile: Tensor, rows: slice, part: slice, value: float) -> None:
        tile.masked_fill_(self.anchor_class[rows, None] == self.column_class[part], value)


class WeightedExcluded:
    """Leaves out every pair that has a weight and the anchor itself, so that the sum goes over N(i)."""

    def __init__(self, pair_weights: Tensor, own: Tensor | None) -> None:
        """Take weights [anchor, column] and each anchor's own column."""
        self.pair_weights, self.own = pair_weights, own

    def spans(self, anchors: int, height: int) -> list[Span]:
        return [(0, self.pair_weights.shape[1])] * -(-anchors // height)

    def exclude(self, tile: Tensor, rows: slice, part: slice, value: float) -> None:
        tile.masked_fill_(self.pair_weights[rows, part] != 0, value)
        exclude_itself(tile, self.own, rows, part, value)


def exclude_itself(tile: Tensor, own: Tensor | None, rows: slice, part: slice, value: float) -> None:
    """Overwrite the pairs of an anchor with itself; `own` as in `SelfExcluded`."""
    if own is None:
        tile.diagonal(rows.start - part.start).fill_(value)
    else:
        place = own[rows, None] - part.start
        inside = (place >= 0) & (place < tile.shape[1])
        place = place.clamp(0, tile.shape[1] - 1)
        tile.scatter_(1, place, tile.gather(1, place).masked_fill_(inside, value))


def class_counts(anchor_class: Tensor, column_class: Tensor) -> Tensor:
    """[anchor]: how many columns are of the anchor's class."""
    ordered = column_class.sort().values
    first = torch.searchsorted(ordered, anchor_class)
    return torch.searchsorted(ordered, anchor_class, right=True) - first


def class_spans(anchor_class: Tensor, column_class: Tensor, height: int) -> list[Span]:
    """For each strip of anchors, the columns of its classes; the columns are sorted by class."""
    first = torch.searchsorted(column_class, anchor_class)
    behind = torch.searchsorted(column_class, anchor_class, right=True)
    return outer_spans(first, behind, height)


def outer_spans(first: Tensor, behind: Tensor, height: int) -> list[Span]:
    """For each strip of anchors, from the smallest first column to behind the largest last one."""
    strip = torch.arange(len(first), device=first.device) // height
    count = -(-len(first) // height)
    smallest = first.new_zeros(count).scatter_reduce_(0, strip, first, "amin", include_self=False)
    largest = behind.new_zeros(count).scatter_reduce_(0, strip, behind, "amax", include_self=False)
    return [(start, stop) for start, stop in torch.stack([smallest, largest], 1).tolist()]


def exclude_near(exclusion: Exclusion, tile: Tensor, rows: slice, part: slice, span: Span, value: float) -> None:
    """Overwrite the left-out pairs of a tile, looking only at those of its columns that lie in the span."""
    start, stop = max(span[0], part.start), min(span[1], part.stop)
    if start < stop:
        near = tile[:, start - part.start : stop - part.start]
        exclusion.exclude(near, rows, slice(start, stop), value)
