"""Every measure of one test set, by its flat name."""

from collections.abc import Iterator

from supcon.evaluation.accuracy import mean_per_class_accuracy, negative_log_likelihood, top_k_accuracy
from supcon.evaluation.calibration import expected_calibration_error
from supcon.shapes import Labels, Logits


def classification_measures(logits: Logits, labels: Labels, split: str = "test") -> Iterator[tuple[str, float]]:
    """(name, value) of what a classifier's scores on a split say; shares are 0..1."""
    yield f"{split}/top1", top_k_accuracy(logits, labels, 1)
    yield f"{split}/top5", top_k_accuracy(logits, labels, 5)
    yield f"{split}/mean_per_class", mean_per_class_accuracy(logits, labels)
    yield f"{split}/nll", negative_log_likelihood(logits, labels)
    yield f"{split}/ece", expected_calibration_error(logits.double().softmax(1), labels)
