"""Calibration in bins of equally many images (Nguyen and O'Connor, 2015), instead of equal width. Imports no torch."""

import numpy as np

from supcon.evaluation.as_numpy import ArrayOrTensor
from supcon.evaluation.classification.calibration import (
    BINS,
    ReliabilityBins,
    average_bins,
    check_bins,
    check_probabilities,
    confidence_and_correct,
)


def adaptive_reliability_bins(probabilities: ArrayOrTensor, labels: ArrayOrTensor, bins: int = BINS) -> ReliabilityBins:
    """Bins images by the probability of their predicted class, with the same number of images in every bin.

    Images of equal confidence share the lower of two bins, so that their order does not matter: many equal ones make a
    bin larger and leave the next bins smaller or empty.
    """
    check_bins(bins)
    confidence, correct = confidence_and_correct(probabilities, labels)
    last = np.arange(1, bins + 1) * len(confidence) // bins - 1
    edges = np.sort(confidence)[np.maximum(last, 0)]
    return average_bins(np.searchsorted(edges[:-1], confidence), confidence, correct, bins)


def adaptive_calibration_error(probabilities: ArrayOrTensor, labels: ArrayOrTensor, bins: int = BINS) -> float:
    """The expected calibration error over bins of equally many images, so that no bin has only a few.

    >>> adaptive_calibration_error(np.array([[0.9, 0.1], [0.9, 0.1]]), np.array([0, 1]))
    0.4
    """
    check_probabilities(probabilities)
    return adaptive_reliability_bins(probabilities, labels, bins).error
