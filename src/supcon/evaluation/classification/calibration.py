"""Whether a confidence of 80 % is right 80 % of the time (Guo et al., 2017; "Robustness" in the supplementary)."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.base.shapes import Labels


class ReliabilityBins(NamedTuple):
    """For every bin of confidence: how many images fell in, their mean confidence and accuracy (0 where empty)."""

    counts: Int[Tensor, "bin"]
    confidence: Float[Tensor, "bin"]
    accuracy: Float[Tensor, "bin"]


def reliability_bins(probabilities: Float[Tensor, "batch class"], labels: Labels, bins: int = 15) -> ReliabilityBins:
    """Images by the probability of their predicted class, in `bins` of equal width, each closed above: (a, b].

    A confidence of exactly 0 belongs to the first bin.
    """
    if bins < 1:
        raise RequestError(f"bins must be at least 1, got {bins}.")
    confidence, predicted = probabilities.double().max(1)
    right = (predicted == labels).double()
    edges = torch.linspace(0, 1, bins + 1, dtype=torch.float64, device=confidence.device)
    index = (torch.bucketize(confidence, edges) - 1).clamp(0, bins - 1)

    def total(values: Tensor) -> Tensor:
        return torch.zeros(bins, dtype=torch.float64, device=values.device).index_add_(0, index, values)

    count = total(torch.ones_like(confidence))
    share = count.clamp_min(1)
    return ReliabilityBins(count.long(), total(confidence) / share, total(right) / share)


def expected_calibration_error(probabilities: Float[Tensor, "batch class"], labels: Labels, bins: int = 15) -> float:
    """Mean distance between confidence and accuracy over the bins, weighted by how many images each holds.

    The paper does not say how many bins it uses; 15 is what Guo et al. use.

    >>> round(expected_calibration_error(torch.tensor([[0.9, 0.1], [0.9, 0.1]]), torch.tensor([0, 1])), 3)
    0.4
    """
    counts, confidence, accuracy = reliability_bins(probabilities, labels, bins)
    return (counts / counts.sum() * (confidence - accuracy).abs()).sum().item()
