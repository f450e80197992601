"""Every anchor with its columns, and the sums over A(i), N(i) and P(i) that the losses are made of.

Columns come from one or two sources: the batch, which holds the anchors and gets gradients, and a queue, which does
neither.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import torch
from torch import Tensor

from supcon.losses.exclusion import Exclusion
from supcon.losses.log_sum_exp import log_sum_exp
from supcon.losses.positive_sums import SumName, positive_sum
from supcon.losses.positives import Positives

FEW_PAIRS = 2**20
"""Up to so many pairs of anchor and column, 4 MB for each matrix, the matrix as a whole is faster than its tiles."""


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
    row: Tensor
    """[anchor]: which row of the caller's batch each anchor is."""
    sources: Sequence[Source]
    complete: bool
    """P(i) and N(i) make up A(i): no cap leaves a positive out."""
    few: bool
    """There are no more than `FEW_PAIRS`; if so, no sum by class may be asked for."""
    positive_weight: Tensor
    """[anchor]: |P(i)|, or the sum of its pair weights."""
    class_similarity: Callable[[], Tensor] | None
    """Gives the sum of P(i)'s similarities without a pass over pairs, where classes allow it."""
    temperature: float
    largest: float
    """A bound of |anchor . column|."""

    def over_others(self) -> Tensor:
        """[anchor]: log-sum-exp over A(i), without what a cap leaves out."""
        if self.complete:
            return self._log_sum_exp([source.other for source in self.sources])
        return log_add(self.positive_log_sum_exp, self.over_negatives())

    def over_negatives(self) -> Tensor:
        """[anchor]: log-sum-exp over N(i)."""
        return self._log_sum_exp([source.negative for source in self.sources])

    @cached_property
    def positive_log_sum_exp(self) -> Tensor:
        """[anchor]: log-sum-exp over P(i)."""
        return self.over_positives("log_sum_exp")

    def positive_similarity(self) -> Tensor:
        """[anchor]: the weighted sum of similarity / temperature over P(i)."""
        return self.over_positives("similarity") if self.class_similarity is None else self.class_similarity()

    def over_positives(self, name: SumName, negatives: Tensor | None = None) -> Tensor:
        """[anchor]: one of the sums over P(i)."""
        negatives = self.anchors.new_zeros(len(self.anchors)) if negatives is None else negatives
        sums = (
            positive_sum(name, self.anchors, source.columns, negatives, self.temperature, source.positive)
            for source in self.sources
        )
        return reduce(log_add if name in ("log_sum_exp", "one_positive_in") else torch.add, sums)

    def _log_sum_exp(self, exclusions: Sequence[Exclusion]) -> Tensor:
        sums = (
            log_sum_exp(self.anchors, source.columns, self.temperature, exclusion, largest=self.largest)
            for source, exclusion in zip(self.sources, exclusions, strict=True)
        )
        return reduce(log_add, sums)


def log_add(first: Tensor, second: Tensor) -> Tensor:
    """log(exp(first) + exp(second)); unlike `logaddexp`, with a gradient of 0 where both sums are empty."""
    empty = first.isneginf() & second.isneginf()
    total = torch.logaddexp(first.masked_fill(empty, 0.0), second.masked_fill(empty, 0.0))
    return total.masked_fill(empty, -torch.inf)
