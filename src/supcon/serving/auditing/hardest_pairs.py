"""The hardest positives and negatives: pairs of images with the largest share in the gradient of Eq. 2."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from supcon.losses import pair_gradient_weights
from supcon.serving.auditing.distinct_pairs import distinct_pairs
from supcon.serving.auditing.label_estimators import TEMPERATURE, Classes, Rows

_LISTED = 100
_MOST_ANCHORS = 10_000
"""Largest number of anchors, evenly spaced among the images; each is compared with all images."""
_CHUNK = 2**22
"""Pairs that are in memory at once."""
_CANDIDATES = 5_000
"""Number of pairs with the largest shares that are kept, from which the list is chosen."""


@dataclass(frozen=True, kw_only=True, eq=False)
class HardPairs:
    """Pairs of labelled images, the largest share first."""

    first: NDArray[np.int64]
    """The anchor."""
    second: NDArray[np.int64]
    similarity: NDArray[np.float32]
    """Cosine similarity of the representations."""
    times_mean: NDArray[np.float32]
    """The share of the pair, relative to the mean share of all pairs of its kind."""


def hard_pairs(rows: Rows, labels: Classes) -> tuple[HardPairs, HardPairs]:
    """The hardest positives and the hardest negatives, with all images in one batch; rows have unit norm."""
    units, numbers = torch.from_numpy(rows), torch.from_numpy(labels)
    anchors = torch.arange(0, len(units), max(1, -(-len(units) // _MOST_ANCHORS)))
    kinds = (_Largest(units), _Largest(units))
    for chunk in anchors.split(max(1, _CHUNK // len(units))):
        found = pair_gradient_weights(units, numbers, temperature=TEMPERATURE, rows=chunk)
        others = torch.arange(len(units)) != chunk[:, None]
        # A positive that is more likely than the others, such as a copy, is pushed away: it is not a hard one.
        kinds[0].add(chunk, (-found.weights).clamp(min=0), found.is_positive)
        kinds[1].add(chunk, found.weights, ~found.is_positive & others)
    return kinds[0].chosen(), kinds[1].chosen()


class _Largest:
    """Keeps the pairs with the largest shares of those that are added."""

    def __init__(self, units: Tensor) -> None:
        self.units, self.sum, self.count = units, 0.0, 0
        self.shares, self.places = torch.empty(0), torch.empty(0, dtype=torch.int64)

    def add(self, anchors: Tensor, shares: Tensor, pairs: Tensor) -> None:
        kept = (shares * pairs).flatten()
        self.sum += kept.sum(dtype=torch.float64).item()
        self.count += int(pairs.sum())
        largest = kept.topk(min(_CANDIDATES, len(kept)))
        anchor, other = largest.indices // len(self.units), largest.indices % len(self.units)
        places = torch.cat([self.places, anchors[anchor] * len(self.units) + other])
        self.shares, best = torch.cat([self.shares, largest.values]).topk(min(_CANDIDATES, len(places)))
        self.places = places[best]

    def chosen(self) -> HardPairs:
        """The pairs with a share, without repetition."""
        count = int((self.shares > 0).sum())
        first, second = self.places[:count] // len(self.units), self.places[:count] % len(self.units)
        listed = distinct_pairs(zip(first.tolist(), second.tolist(), strict=True), _LISTED)
        first, second = first[listed], second[listed]
        return HardPairs(
            first=first.numpy(),
            second=second.numpy(),
            similarity=(self.units[first] * self.units[second]).sum(1).numpy(),
            times_mean=self.shares[listed].numpy() * np.float32(self.count / max(self.sum, 1e-30)),
        )
