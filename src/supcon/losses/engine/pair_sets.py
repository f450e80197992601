"""The pairs of a batch: anchors against columns, and which columns are the positives and the negatives of each anchor."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

QUEUED, EMPTY = -1, -2
"""Row numbers of columns that are not rows of the batch: a row of the queue, and a slot of it that was never filled."""

WHOLE = slice(None)


class Members(NamedTuple):
    """The anchors, or the columns they are compared with."""

    vectors: Tensor
    """[member, dim]: z / sqrt(tau), so that a product of two is s = z . z / tau."""
    table: Tensor
    """[2 or 5, member], whole numbers: class, row of the batch; with a cap also what `ClassOrder` says of each row:
    where its image begins in its class, the size of the class, its position."""

    def take(self, index: Tensor) -> "Members":
        """Some members, in the given order."""
        return Members(self.vectors.index_select(0, index), self.table.index_select(1, index))


class Sets(NamedTuple):
    """What each column is to each anchor."""

    weights: Tensor
    """[anchor, column]: how much the column is a positive; 1 or 0 by class, the given weight with `pair_weights`."""
    negative: Tensor
    """[anchor, column]: True for N(i)."""
    itself: Tensor
    """[anchor, column]: True for the anchor itself, and for an empty slot of the queue."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """Anchors against columns of one kind: the rows of the batch, or those of the queue."""

    anchors: Members
    columns: Members
    pair_weights: Tensor | None = None
    """[anchor, column]: replaces the classes."""
    most: int | None = None
    """The cap on positives."""
    counts_negatives: bool = True
    """Whether N(i) of this block is in the denominator."""
    is_queue: bool = False

    def sets(self, a: slice = WHOLE, c: slice = WHOLE) -> Sets:
        """Positives and negatives of some anchors among some columns."""
        anchor, column = self.anchors.table[:, a, None], self.columns.table[:, None, c]
        itself = column[1] == (EMPTY if self.is_queue else anchor[1])
        if self.pair_weights is not None:
            weights = self.pair_weights[a, c].to(self.anchors.vectors.dtype).masked_fill(itself, 0.0)
            return Sets(weights, (weights == 0) & ~itself, itself)
        same = anchor[0] == column[0]
        positive = same & ~itself
        if self.most is not None:
            # Around the cyclic order of the class from where the anchor's image begins: the first `most` + 1 rows,
            # since the anchor is one of them.
            distance = column[4] - anchor[2]
            distance = torch.where(distance < 0, distance + anchor[3], distance)
            positive &= distance <= self.most
        return Sets(positive.to(self.anchors.vectors.dtype), ~(same | itself), itself)

    def excluded(self, sets: Sets, over: str) -> Tensor:
        """[anchor, column]: True for what a sum over "others" A(i), over "kept" P(i) and N(i), or "negatives" leaves out.

        "others" and "kept" differ in the positives that a cap drops.
        """
        if not self.counts_negatives:
            return (sets.weights == 0) | (over == "negatives")
        if over == "others":
            return sets.itself
        return ~sets.negative if over == "negatives" else ~sets.negative & (sets.weights == 0)


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """Every anchor with the columns it is compared with: the batch and, if there is one, the queue."""

    anchors: Members
    columns: Members
    """All rows of the batch; the same object as `anchors` where all of them are anchors."""
    queue: Members | None
    first: int
    """The first anchor's row in the batch."""
    step: int
    """From one anchor's row to the next."""
    pair_weights: Tensor | None
    """[anchor, row of the batch]"""
    most: int | None
    batch_negatives: bool
    """False: the negatives come from the queue alone."""
    in_range: bool
    """Whether no |s| is above `EXPONENT_RANGE`, so that sums of exponentials need no shift."""

    @property
    def count(self) -> int:
        """How many pairs there are."""
        columns = self.columns.vectors.shape[0] + (0 if self.queue is None else self.queue.vectors.shape[0])
        return self.anchors.vectors.shape[0] * columns

    @property
    def blocks(self) -> list[Block]:
        """The batch, then the queue."""
        batch = Block(
            anchors=self.anchors,
            columns=self.columns,
            pair_weights=self.pair_weights,
            most=self.most,
            counts_negatives=self.batch_negatives,
        )
        if self.queue is None:
            return [batch]
        return [batch, Block(anchors=self.anchors, columns=self.queue, most=self.most, is_queue=True)]
