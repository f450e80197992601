"""Every anchor with its columns, and the sums over A(i), N(i) and P(i) that the losses are made of.

Columns come from one or two sources: the batch, which holds the anchors and gets gradients, and a queue, which does
neither.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import torch
from torch import Tensor

from supcon.losses import symmetric_log_sum_exp as symmetric
from supcon.losses.exclusion import Exclusion
from supcon.losses.log_sum_exp import log_sum_exp
from supcon.losses.positive_sums import SumName, positive_sum
from supcon.losses.positives import ClassPositives, Positives


@dataclass(frozen=True, kw_only=True)
class Source:
    """Some columns, and how the anchors see them."""

    columns: Tensor
    """[column, dim]"""
    other: Exclusion
    """What A(i) leaves out."""
    negative: Exclusion
    """What N(i) leaves out."""
    positive: Positives
    """What P(i) has."""


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """Anchors against their sources."""

    anchors: Tensor
    """[anchor, dim]"""
    row: Tensor | None
    """[anchor]: which row of the batch each anchor is; None: all rows in order."""
    sources: Sequence[Source]
    capped: bool
    """Some positives may be left out of P(i), and with it of A(i)."""
    weighted: bool
    """Positives have weights; those in A(i) have none."""
    positive_weight: Tensor | None
    """[anchor]: |P(i)|, or the sum of its pair weights; None: not counted, for very few pairs."""
    class_similarity: Callable[[], Tensor] | None
    """Gives the sum of P(i)'s similarities without a pass over pairs, where classes allow it."""
    temperature: float
    in_range: bool
    """No |anchor . column| / temperature is above `EXPONENT_RANGE`."""

    @property
    def count(self) -> int:
        """How many pairs of anchor and column there are."""
        return len(self.anchors) * sum(len(source.columns) for source in self.sources)

    @property
    def is_symmetric(self) -> bool:
        """The anchors are all columns there are, with similarities in the exponent's range."""
        return self._is_symmetric(self.sources[0]) and len(self.sources) == 1

    def over_others(self) -> Tensor:
        """[anchor]: log-sum-exp over A(i)."""
        if self._is_symmetric(self.sources[0]):
            batch = symmetric.over_others(self.anchors, self.temperature)
        else:
            batch = self._log_sum_exp(self.sources[0], self.sources[0].other)
        return reduce(log_add, [batch, *(self._log_sum_exp(queue, queue.other) for queue in self.sources[1:])])

    @cached_property
    def over_negatives(self) -> Tensor:
        """[anchor]: log-sum-exp over N(i)."""
        batch, *queues = self.sources
        first = self._log_sum_exp(batch, batch.negative) if self._classes is None else self._classes[0]
        return reduce(log_add, [first, *(self._log_sum_exp(queue, queue.negative) for queue in queues)])

    @cached_property
    def over_positives(self) -> Tensor:
        """[anchor]: log-sum-exp over P(i)."""
        batch, *queues = self.sources
        first = self._positive_sum(batch, "log_sum_exp") if self._classes is None else self._classes[1]
        return reduce(log_add, [first, *(self._positive_sum(queue, "log_sum_exp") for queue in queues)])

    def positive_similarity(self) -> Tensor:
        """[anchor]: the weighted sum of similarity / temperature over P(i)."""
        if self.class_similarity is not None:
            return self.class_similarity()
        return reduce(torch.add, [self._positive_sum(source, "similarity") for source in self.sources])

    def one_positive_out(self) -> Tensor:
        """[anchor]: the weighted sum of log(1 + exp(n - s)) over P(i), n being the log-sum-exp over N(i)."""
        return reduce(torch.add, [self._positive_sum(source, "one_positive_out") for source in self.sources])

    def one_positive_in(self) -> Tensor:
        """[anchor]: the logarithm of the weighted sum of 1 / (1 + exp(n - s)) over P(i)."""
        return reduce(log_add, [self._positive_sum(source, "one_positive_in") for source in self.sources])

    @cached_property
    def _classes(self) -> tuple[Tensor, Tensor] | None:
        """The batch's part of N(i) and of P(i), if symmetry gives both at once."""
        batch = self.sources[0]
        if not self._is_symmetric(batch) or not isinstance(batch.positive, ClassPositives):
            return None
        return symmetric.over_classes(self.anchors, self.temperature, batch.positive)

    def _is_symmetric(self, source: Source) -> bool:
        return self.in_range and source.columns is self.anchors

    def _log_sum_exp(self, source: Source, exclusion: Exclusion) -> Tensor:
        return log_sum_exp(self.anchors, source.columns, self.temperature, exclusion, in_range=self.in_range)

    def _positive_sum(self, source: Source, name: SumName) -> Tensor:
        negatives = self.over_negatives if name.startswith("one_positive") else None
        return positive_sum(name, self.anchors, source.columns, negatives, self.temperature, source.positive)


def log_add(first: Tensor, second: Tensor) -> Tensor:
    """log(exp(first) + exp(second)); unlike `logaddexp`, with a gradient of 0 where both sums are empty."""
    empty = first.isneginf() & second.isneginf()
    total = torch.logaddexp(first.masked_fill(empty, 0.0), second.masked_fill(empty, 0.0))
    return total.masked_fill(empty, -torch.inf)
