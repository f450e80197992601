"""Calibration in bins that hold equally many images (Nguyen and O'Connor, 2015), instead of being equally wide."""

import torch
from jaxtyping import Float
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.base.shapes import Labels
from supcon.evaluation.classification.calibration import ReliabilityBins


def adaptive_reliability_bins(
    probabilities: Float[Tensor, "batch class"], labels: Labels, bins: int = 15
) -> ReliabilityBins:
    """Images by the probability of their predicted class, in `bins` of as many images each.

    Images of the same confidence stay together, in the lower of two bins, so that their order does not matter: many
    equal ones make a bin larger and leave the next ones smaller or empty.
    """
    if bins < 1:
        raise RequestError(f"bins must be at least 1, got {bins}.")
    confidence, predicted = probabilities.double().max(1)
    right = (predicted == labels).double()
    images = len(confidence)
    last = torch.arange(1, bins + 1, device=confidence.device) * images // bins - 1
    edges = confidence.sort().values[last.clamp_min(0)]
    index = torch.bucketize(confidence, edges[:-1].contiguous())
    counts = index.bincount(minlength=bins)
    share = counts.clamp_min(1)
    return ReliabilityBins(
        counts,
        index.bincount(confidence, minlength=bins) / share,
        index.bincount(right, minlength=bins) / share,
    )


def adaptive_calibration_error(probabilities: Float[Tensor, "batch class"], labels: Labels, bins: int = 15) -> float:
    """The expected calibration error over bins of equally many images: no bin rests on a handful of them.

    >>> adaptive_calibration_error(torch.tensor([[0.9, 0.1], [0.9, 0.1]]), torch.tensor([0, 1]))
    0.39...
    """
    counts, confidence, accuracy = adaptive_reliability_bins(probabilities, labels, bins)
    return (counts * (confidence - accuracy).abs()).sum().item() / int(counts.sum())
