"""All metrics of one test set, by their flat names."""

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from supcon.base.shapes import Labels, Logits
from supcon.evaluation.classification.accuracy import mean_per_class_accuracy, negative_log_likelihood, top_k_accuracy
from supcon.evaluation.classification.adaptive_calibration import adaptive_calibration_error
from supcon.evaluation.classification.brier import brier_score
from supcon.evaluation.classification.calibration import expected_calibration_error
from supcon.evaluation.representations.nearest_neighbours import nearest_neighbour_accuracy
from supcon.evaluation.representations.prototypes import prototype_accuracy
from supcon.evaluation.representations.retrieval import mean_average_precision_at_r, recall_at_k
from supcon.evaluation.representations.sphere_geometry import alignment, class_separation, uniformity
from supcon.evaluation.statistics.bootstrap import accuracy_interval, mean_interval

Measures = Iterator[tuple[str, float]]


def classification_measures(logits: Logits, labels: Labels, split: str = "test", *, bins: int = 15) -> Measures:
    """(name, value) of a classifier's metrics on a split; accuracies and calibration errors are in 0..1."""
    yield f"{split}/top1", top_k_accuracy(logits, labels, 1)
    if logits.shape[1] > 5:  # with five classes or fewer it would always be 1
        yield f"{split}/top5", top_k_accuracy(logits, labels, 5)
    yield f"{split}/mean_per_class", mean_per_class_accuracy(logits, labels)
    yield from _probability_measures(logits, labels, f"{split}/", bins)


def scaled_measures(
    logits: Logits, labels: Labels, temperature: float, split: str = "test", *, bins: int = 15
) -> Measures:
    """(name, value) of the metrics that change when logits are divided by a temperature fitted on other images."""
    yield from _probability_measures(logits / temperature, labels, f"{split}/scaled_", bins)


def _probability_measures(logits: Logits, labels: Labels, prefix: str, bins: int) -> Measures:
    probabilities = logits.double().softmax(1)
    yield f"{prefix}nll", negative_log_likelihood(logits, labels)
    yield f"{prefix}brier", brier_score(probabilities, labels)
    yield f"{prefix}ece", expected_calibration_error(probabilities, labels, bins)
    yield f"{prefix}adaptive_ece", adaptive_calibration_error(probabilities, labels, bins)


def interval_measures(logits: Logits, labels: Labels, split: str = "test") -> Measures:
    """(name, value) of the ends of bootstrap intervals over test images, for metrics that are a mean over images.

    The calibration error has no interval: resampling increases it, so that the interval could exclude the error itself.
    """
    probabilities = logits.double().softmax(1)
    intervals = {
        "top1": accuracy_interval(logits.argmax(1) == labels),
        "nll": mean_interval(F.cross_entropy(logits.double(), labels, reduction="none")),
        "brier": mean_interval((probabilities - F.one_hot(labels, logits.shape[1])).square().sum(1)),
    }
    for name, interval in intervals.items():
        yield f"{split}/{name}_low", interval.low
        yield f"{split}/{name}_high", interval.high


def representation_measures(
    representations: Float[Tensor, "query dim"],
    labels: Int[Tensor, "query"],
    bank: Float[Tensor, "bank dim"],
    bank_labels: Int[Tensor, "bank"],
    split: str = "test",
) -> Measures:
    """(name, value) of the metrics of the frozen representations; `bank` has those of the training images.

    A metric for which a split is too small (a single image, no class with two) is left out.
    """
    yield f"{split}/knn_top1", nearest_neighbour_accuracy(representations, labels, bank, bank_labels)
    yield f"{split}/prototype_top1", prototype_accuracy(representations, labels, bank, bank_labels)
    if int(labels.bincount().max()) > 1:
        for k, share in recall_at_k(representations, labels).items():
            yield f"{split}/recall_at_{k}", share
        yield f"{split}/map_at_r", mean_average_precision_at_r(representations, labels)
        yield f"{split}/alignment", alignment(representations, labels)
    if len(labels) > 1:
        yield f"{split}/uniformity", uniformity(representations)
    if len(torch.unique(labels)) > 1:
        yield f"{split}/class_separation", class_separation(representations, labels)
