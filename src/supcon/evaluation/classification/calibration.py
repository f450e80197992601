"""Whether a confidence of 80 % is right 80 % of the time (Guo et al., 2017; "Robustness" in the supplementary).

Computed in numpy, so that reports are built without importing torch; tensors are accepted too.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from supcon.base.errors import RequestError
from supcon.evaluation.as_numpy import ArrayOrTensor, as_numpy

BINS = 15
"""The paper does not give its number of bins; 15 is that of Guo et al."""
MOST_BINS = 1_000_000
_ROUNDING = 0.02
"""Half-precision softmax over many classes does not sum to exactly 1."""


class ReliabilityBins(NamedTuple):
    """Number of images, mean confidence and accuracy of every bin of confidence (0 if the bin is empty)."""

    counts: Int[np.ndarray, " bin"]
    confidence: Float[np.ndarray, " bin"]
    accuracy: Float[np.ndarray, " bin"]

    @property
    def error(self) -> float:
        """Mean of |confidence - accuracy| over the bins, weighted by their number of images."""
        return float((self.counts * np.abs(self.confidence - self.accuracy)).sum() / max(self.counts.sum(), 1))

    @property
    def overconfidence(self) -> float:
        """Mean confidence minus accuracy over all images: above 0 the classifier is overconfident."""
        return float((self.counts * (self.confidence - self.accuracy)).sum() / max(self.counts.sum(), 1))


def reliability_bins(probabilities: ArrayOrTensor, labels: ArrayOrTensor, bins: int = BINS) -> ReliabilityBins:
    """Bins images by the probability of their predicted class, in `bins` of equal width, each closed above: (a, b].

    `probabilities` [image, class] and `labels` [image]. A confidence of exactly 0 belongs to the first bin.
    """
    check_bins(bins)
    confidence, correct = confidence_and_correct(probabilities, labels)
    edges = np.arange(bins + 1) / bins
    return average_bins(np.clip(np.searchsorted(edges, confidence) - 1, 0, bins - 1), confidence, correct, bins)


def expected_calibration_error(probabilities: ArrayOrTensor, labels: ArrayOrTensor, bins: int = BINS) -> float:
    """Mean distance between confidence and accuracy over bins of equal width, weighted by their number of images.

    Examples:
        >>> round(expected_calibration_error(np.array([[0.9, 0.1], [0.9, 0.1]]), np.array([0, 1])), 3)
        0.4
    """
    check_probabilities(probabilities)
    return reliability_bins(probabilities, labels, bins).error


def confidence_and_correct(
    probabilities: ArrayOrTensor, labels: ArrayOrTensor
) -> tuple[Float[np.ndarray, " image"], Bool[np.ndarray, " image"]]:
    """The probability of the predicted class, and whether that class is the label, for every image."""
    array = as_numpy(probabilities).astype(np.float64)
    return array.max(1), array.argmax(1) == as_numpy(labels)


def average_bins(
    index: Int[np.ndarray, " image"],
    confidence: Float[np.ndarray, " image"],
    correct: Bool[np.ndarray, " image"],
    bins: int,
) -> ReliabilityBins:
    """Count, mean confidence and accuracy of the images of every bin; `index` is the bin of each image."""
    counts = np.bincount(index, minlength=bins)
    confidences, right = (np.bincount(index, values, minlength=bins) for values in (confidence, correct))
    return ReliabilityBins(counts, confidences / np.maximum(counts, 1), right / np.maximum(counts, 1))


def check_probabilities(probabilities: ArrayOrTensor) -> None:
    """Raises an error for rows that are no probabilities, such as logits."""
    array = as_numpy(probabilities).astype(np.float64)
    sums = array.sum(1)
    wrong = (array < -_ROUNDING).any(1) | (array > 1 + _ROUNDING).any(1) | (np.abs(sums - 1) > _ROUNDING)
    if wrong.any():
        row = int(wrong.argmax())
        raise RequestError(
            f"probabilities must be between 0 and 1 with rows that sum to 1, got a row from {array[row].min():.3g} to "
            f"{array[row].max():.3g} with the sum {sums[row]:.3g}; of logits give logits.softmax(1)."
        )


def check_bins(bins: int) -> None:
    if bins < 1:
        raise RequestError(f"bins must be at least 1, got {bins}.")
    if bins > MOST_BINS:
        raise RequestError(f"bins must be at most {MOST_BINS:,}, got {bins:,}.")
