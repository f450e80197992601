"""Which columns are an anchor's positives P(i), and with what weight.

Whole numbers are held as floating-point numbers and compared by arithmetic: on a CPU a tile of truth values costs as
much as its exponentials; a subtraction and a comparison in place cost next to nothing.
"""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from supcon.losses.exclusion import Exclusion, class_spans
from supcon.losses.tiles import NEVER, Span


class Positives(Protocol):
    """The positives of each anchor among some columns."""

    def spans(self, anchors: int, height: int) -> list[Span]:
        """For each strip of `height` anchors, the columns that can be positives."""
        ...

    def weights(self, rows: slice, part: slice) -> Tensor:
        """How much each pair counts as a positive: 0 where it does not."""
        ...

    def split(self, rows: slice, part: slice) -> tuple[Tensor, Tensor]:
        """The weights again; and 1 for every column in N(i), 0 for the others."""
        ...

    def log_weights(self, weights: Tensor) -> Tensor:
        """Their logarithms, `NEVER` for 0; overwrites the weights."""
        ...


@dataclass(frozen=True)
class Cap:
    """At most `most` positives: the anchor's class from where its image begins, in the cyclic order of the class."""

    most: int
    begin: Tensor
    """[anchor]: where the anchor's image begins in its class."""
    size: Tensor
    """[anchor]: how many rows the class has."""
    position: Tensor
    """[column]: where the column stands in its class."""

    def keeps(self, anchor: slice, column: slice) -> Tensor:
        """[anchor, column]: 1 where the cap keeps the column, 0 where not, for two of one class."""
        return self._window(self.position[column] - self.begin[anchor, None], self.size[anchor, None])

    def is_kept(self, column: slice, anchor: slice) -> Tensor:
        """[column, anchor]: the same with the axes exchanged."""
        return self._window(self.position[column, None] - self.begin[anchor], self.size[anchor])

    def _window(self, distance: Tensor, size: Tensor) -> Tensor:
        around = distance.neg().clamp_(0, 1)
        distance.addcmul_(around, size.expand_as(distance))
        # The first `most` + 1 rows: the anchor itself is one of them.
        return distance.neg_().add_(self.most + 1).clamp_(0, 1)


@dataclass(frozen=True)
class ClassPositives:
    """The columns of the anchor's class but itself, or as many of them as a cap keeps."""

    anchor_class: Tensor
    """[anchor]: class numbers as floating-point numbers."""
    column_class: Tensor
    """[column]: the same."""
    is_sorted: bool
    """Whether the columns are in the order of their classes."""
    cap: Cap | None
    itself: Exclusion
    """Takes out the anchor itself."""
    dtype: torch.dtype
    """That of the projections."""

    def spans(self, anchors: int, height: int) -> list[Span]:
        if self.is_sorted:
            return class_spans(self.anchor_class, self.column_class, height)
        return [(0, len(self.column_class))] * -(-anchors // height)

    def differ(self, rows: slice, part: slice) -> Tensor:
        """[anchor, column]: 1 where the classes differ, 0 where the two are of one class."""
        return (self.anchor_class[rows, None] - self.column_class[part]).ne_(0)

    def split(self, rows: slice, part: slice) -> tuple[Tensor, Tensor]:
        differ = self.differ(rows, part)
        return self._positive(1 - differ, rows, part), differ

    def weights(self, rows: slice, part: slice) -> Tensor:
        return self._positive((self.anchor_class[rows, None] - self.column_class[part]).eq_(0), rows, part)

    def _positive(self, same: Tensor, rows: slice, part: slice) -> Tensor:
        self.itself.exclude(same, rows, part, 0)
        return same if self.cap is None else same.mul_(self.cap.keeps(rows, part))

    def log_weights(self, weights: Tensor) -> Tensor:
        return weights.sub_(1).mul_(-NEVER)


@dataclass(frozen=True)
class WeightedPositives:
    """Soft positives: the given weights, but for the anchor itself."""

    pair_weights: Tensor
    """[anchor, column]"""
    itself: Exclusion
    """Takes out the anchor itself."""
    dtype: torch.dtype
    """That of the projections."""

    def spans(self, anchors: int, height: int) -> list[Span]:
        return [(0, self.pair_weights.shape[1])] * -(-anchors // height)

    def weights(self, rows: slice, part: slice) -> Tensor:
        weights = self.pair_weights[rows, part].to(self.dtype, copy=True)
        self.itself.exclude(weights, rows, part, 0)
        return weights

    def split(self, rows: slice, part: slice) -> tuple[Tensor, Tensor]:
        weights = self.weights(rows, part)
        negative = (weights == 0).to(self.dtype)
        self.itself.exclude(negative, rows, part, 0)
        return weights, negative

    def log_weights(self, weights: Tensor) -> Tensor:
        never = weights == 0
        return weights.masked_fill_(never, 1).log_().masked_fill_(never, NEVER)
