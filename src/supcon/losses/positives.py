"""Which columns are an anchor's positives P(i), and with what weight."""

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from supcon.losses.exclusion import Exclusion, class_spans
from supcon.losses.tiles import Span


class Positives(Protocol):
    """The positives of each anchor among some columns."""

    def spans(self, anchors: int, height: int) -> list[Span]:
        """For each strip of `height` anchors, the columns that can be positives."""
        ...

    def weights(self, rows: slice, part: slice) -> Tensor:
        """How much each pair counts as a positive: 0 or False where it does not."""
        ...


@dataclass(frozen=True)
class Cap:
    """At most `most` positives: those that follow the anchor's image in the cyclic order of its class."""

    most: int
    begin: Tensor
    """[anchor]: where the anchor's image begins in its class."""
    size: Tensor
    """[anchor]: how many rows the class has."""
    position: Tensor
    """[column]: where the column stands in its class."""

    def keeps(self, rows: slice, part: slice) -> Tensor:
        """True where a column of the anchor's class is kept; the anchor itself is among the first `most` + 1."""
        return (self.position[part] - self.begin[rows, None]) % self.size[rows, None] <= self.most


@dataclass(frozen=True)
class ClassPositives:
    """The columns of the anchor's class but itself, or as many of them as a cap keeps."""

    anchor_class: Tensor
    column_class: Tensor
    """In rising order."""
    cap: Cap | None
    itself: Exclusion
    """Takes out the anchor itself."""

    def spans(self, anchors: int, height: int) -> list[Span]:
        return class_spans(self.anchor_class, self.column_class, height)

    def weights(self, rows: slice, part: slice) -> Tensor:
        positive = self.anchor_class[rows, None] == self.column_class[part]
        if self.cap is not None:
            positive &= self.cap.keeps(rows, part)
        self.itself.exclude(positive, rows, part, 0)
        return positive


@dataclass(frozen=True)
class WeightedPositives:
    """Soft positives: the given weights, but for the anchor itself."""

    pair_weights: Tensor
    """[anchor, column]"""
    itself: Exclusion
    """Takes out the anchor itself."""

    def spans(self, anchors: int, height: int) -> list[Span]:
        return [(0, self.pair_weights.shape[1])] * -(-anchors // height)

    def weights(self, rows: slice, part: slice) -> Tensor:
        weights = self.pair_weights[rows, part].clone()
        self.itself.exclude(weights, rows, part, 0)
        return weights
