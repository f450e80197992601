"""The pairs of a batch: anchors and columns, and which columns are positives and negatives of each anchor."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

QUEUED, EMPTY = -1, -2
"""Row numbers of columns that are not in the batch: a row of the queue, and a queue slot that was never filled."""


class Members(NamedTuple):
    """The anchors, or the columns they are compared with."""

    vectors: Tensor
    """[member, dim]: z / sqrt(tau), so that a product of two is s = z . z / tau."""
    table: Tensor
    """[2 or 5, member]: class number and row in the batch; with `max_positives` also `begin`, `size` and
    `position` of `ClassOrder`. Integers, stored as floating-point numbers."""

    def take(self, index: Tensor) -> "Members":
        """The members at these indices, in this order."""
        return Members(self.vectors.index_select(0, index), self.table.index_select(1, index))


@dataclass(frozen=True, kw_only=True)
class Block:
    """Anchors and columns of one kind: the rows of the batch, or those of the queue."""

    anchors: Members
    columns: Members
    pair_weights: Tensor | None = None
    """[anchor, column]: used instead of the classes."""
    max_positives: int | None = None
    """Maximum number of positives."""
    counts_negatives: bool = True
    """Whether the negatives of this block are in the denominator."""
    is_queue: bool = False

    def sets(self, a: slice | None = None, c: slice | None = None) -> "Sets":
        """Positives and negatives of some anchors among some columns; None: of all."""
        return Sets(self, slice(None) if a is None else a, slice(None) if c is None else c)


class Sets:
    """Masks for some anchors and some columns, computed when first used.

    They are floating-point numbers, 1 for true and 0 for false: in-place arithmetic on a CPU takes a quarter of the
    time of boolean comparison and selection.
    """

    def __init__(self, block: Block, a: slice, c: slice) -> None:
        self.block, self.a, self.c = block, a, c
        self.anchor, self.column = block.anchors.table[:, a, None], block.columns.table[:, None, c]
        self._itself: Tensor | None = None
        self._same: Tensor | None = None
        self._weights: Tensor | None = None

    @property
    def itself(self) -> Tensor:
        """[anchor, column]: 1 for the anchor itself; for a queue, 1 for an empty slot."""
        if self._itself is None and self.block.is_queue:
            self._itself = (self.column[1] == EMPTY).to(self.column.dtype).expand(self.anchor.shape[1], -1)
        elif self._itself is None and self.block.columns.vectors is self.block.anchors.vectors and self.a == self.c:
            self._itself = torch.eye(self.anchor.shape[1], dtype=self.anchor.dtype, device=self.anchor.device)
        elif self._itself is None:
            self._itself = (self.anchor[1] - self.column[1]).eq_(0)
        return self._itself

    @property
    def same(self) -> Tensor:
        """[anchor, column]: 1 for the anchor's class; the class of an empty queue slot equals no other."""
        if self._same is None:
            self._same = (self.anchor[0] - self.column[0]).eq_(0)
        return self._same

    @property
    def weights(self) -> Tensor:
        """[anchor, column]: the weight of the column as a positive: 1 or 0 by class, or from `pair_weights`."""
        if self._weights is None and self.block.pair_weights is not None:
            self._weights = self.block.pair_weights[self.a, self.c].to(self.itself.dtype) * (1 - self.itself)
        elif self._weights is None:
            positive = self.same if self.block.is_queue else self.same - self.itself
            limit = self.block.max_positives
            self._weights = positive if limit is None else positive * self._within_limit(limit)
        return self._weights

    def _within_limit(self, max_positives: int) -> Tensor:
        """1 for the first `max_positives` + 1 rows in the cyclic order of the class, from the anchor's image on."""
        distance = self.column[4] - self.anchor[2]
        distance.addcmul_(distance.neg().clamp_(0, 1), self.anchor[3].expand_as(distance))
        # One more than `max_positives`, because the anchor is among them.
        return distance.neg_().add_(max_positives + 1).clamp_(0, 1)

    @property
    def negative(self) -> Tensor:
        """[anchor, column]: 1 for N(i)."""
        if self.block.pair_weights is not None:
            return 1 - self.weights.sign() - self.itself
        return 1 - self.same - self.itself if self.block.is_queue else 1 - self.same

    def in_denominator(self, over: str) -> Tensor:
        """[anchor, column]: 1 for the columns of a sum over A(i) ("others"), P(i) and N(i) ("kept"), or "negatives".

        "others" also has the positives that `max_positives` removes from P(i).
        """
        if not self.block.counts_negatives:
            return torch.zeros_like(self.weights) if over == "negatives" else self.weights.sign()
        if over == "others":
            return 1 - self.itself
        return self.negative if over == "negatives" else self.negative + self.weights.sign()


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """All anchors and the columns they are compared with: the batch and, if given, the queue."""

    anchors: Members
    columns: Members
    """All rows of the batch; the same object as `anchors` if all of them are anchors."""
    queue: Members | None
    first: int
    """Row of the first anchor in the batch."""
    step: int
    """Distance between the rows of two anchors."""
    pair_weights: Tensor | None
    """[anchor, row of the batch]"""
    max_positives: int | None
    batch_negatives: bool
    """False: only the queue's negatives are used."""
    in_range: bool
    """Whether no |s| is above `EXPONENT_RANGE`, so that sums of exponentials need no shift."""

    @property
    def count(self) -> int:
        """Number of pairs."""
        columns = self.columns.vectors.shape[0] + (0 if self.queue is None else self.queue.vectors.shape[0])
        return self.anchors.vectors.shape[0] * columns

    @property
    def blocks(self) -> list[Block]:
        """The batch, then the queue."""
        batch = Block(
            anchors=self.anchors,
            columns=self.columns,
            pair_weights=self.pair_weights,
            max_positives=self.max_positives,
            counts_negatives=self.batch_negatives,
        )
        if self.queue is None:
            return [batch]
        return [batch, Block(anchors=self.anchors, columns=self.queue, max_positives=self.max_positives, is_queue=True)]
