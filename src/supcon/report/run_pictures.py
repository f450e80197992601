"""Pictures of a run: views of training images, the pairs with the largest share in the gradient, corrupted images."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int, UInt8


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainingViews:
    """Some training images with several views of each."""

    images: UInt8[np.ndarray, "image height width channel"]
    views: UInt8[np.ndarray, "image view view_height view_width channel"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Pairs:
    """The pairs of one kind with the largest shares, the largest first, and how the shares of all pairs are spread."""

    pictures: UInt8[np.ndarray, "pair 2 height width channel"]
    labels: Int[np.ndarray, "pair 2"]
    names: Sequence[Sequence[str]]
    similarity: Float[np.ndarray, " pair"]
    times_mean: Float[np.ndarray, " pair"]
    """The share in the gradient, relative to that of the average pair of the kind."""

    fifths: Float[np.ndarray, " fifth"]
    """The share of each fifth of the pairs, the hardest first."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PairShares:
    """The pairs of one multiviewed batch at one moment of the training."""

    positives: Pairs
    negatives: Pairs


@dataclass(frozen=True, kw_only=True, eq=False)
class CorruptedSamples:
    """One test image under every corruption and severity."""

    names: Sequence[str]
    severities: Sequence[int]
    pictures: UInt8[np.ndarray, "corruption severity height width channel"]
