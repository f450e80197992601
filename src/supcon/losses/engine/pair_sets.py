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
    """[2 or 5, member]: the number of its class, its row in the batch; with a cap also what `ClassOrder` says of it:
    where its image begins in its class, the size of the class, its position. Whole numbers as floating-point ones."""

    def take(self, index: Tensor) -> "Members":
        """Some members, in the given order."""
        return Members(self.vectors.index_select(0, index), self.table.index_select(1, index))


class Sets(NamedTuple):
    """What each column is to each anchor; 1 stands for true.

    Floating-point numbers and not truth values: on a CPU, comparing into truth values and selecting by them costs four
    times as much as arithmetic in place.
    """

    weights: Tensor
    """[anchor, column]: how much the column is a positive; 1 or 0 by class, the given weight with `pair_weights`."""
    negative: Tensor
    """[anchor, column]: 1 for N(i)."""
    itself: Tensor | None
    """[anchor, column]: 1 for the anchor itself; None: it is not among the columns."""


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
        itself = None if self.is_queue else (anchor[1] - column[1]).eq_(0)
        if self.pair_weights is not None and itself is not None:
            weights = self.pair_weights[a, c].to(itself.dtype) * (1 - itself)
            return Sets(weights, 1 - weights.sign() - itself, itself)
        same = (anchor[0] - column[0]).eq_(0)
        negative = 1 - same
        if itself is not None:
            same -= itself
        else:
            # An empty slot of the queue has a class of its own: it can only be taken for a negative.
            negative *= (column[1] != EMPTY).to(negative.dtype)
        if self.most is not None:
            # Around the cyclic order of the class from where the anchor's image begins: the first `most` + 1 rows,
            # since the anchor is one of them.
            distance = column[4] - anchor[2]
            distance.addcmul_(distance.neg().clamp_(0, 1), anchor[3].expand_as(distance))
            same *= distance.neg_().add_(self.most + 1).clamp_(0, 1)
        return Sets(same, negative, itself)

    def in_denominator(self, sets: Sets, over: str) -> Tensor:
        """[anchor, column]: 1 for what a sum over "others" A(i), over "kept" P(i) and N(i), or "negatives" has.

        "others" and "kept" differ in the positives that a cap drops.
        """
        if over == "others" and self.counts_negatives and sets.itself is not None:
            return 1 - sets.itself
        negative = sets.negative if self.counts_negatives else torch.zeros_like(sets.negative)
        return negative if over == "negatives" else negative + sets.weights.sign()


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
