"""What the paper measures, as functions of tensors.

A name is imported from its file when it is first asked for, so that the pages, which need intervals but no tensors, do
not wait for torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from supcon.evaluation.accuracy import mean_per_class_accuracy, negative_log_likelihood, top_k_accuracy
    from supcon.evaluation.adaptive_calibration import adaptive_calibration_error, adaptive_reliability_bins
    from supcon.evaluation.average_precision import eleven_point_average_precision, mean_average_precision_11_points
    from supcon.evaluation.bootstrap import (
        Interval,
        PairedTest,
        accuracy_interval,
        difference_interval,
        mean_interval,
        measure_interval,
        paired_test,
    )
    from supcon.evaluation.brier import brier_score
    from supcon.evaluation.calibration import ReliabilityBins, expected_calibration_error, reliability_bins
    from supcon.evaluation.confusion import confusion_matrix
    from supcon.evaluation.corrupted_sets import array_batches, folder_batches, published_batches, published_corruptions
    from supcon.evaluation.corruption_errors import (
        ALEXNET,
        CorruptionBaseline,
        corruption_error,
        mean_corruption_error,
        relative_mean_corruption_error,
        run_as_baseline,
    )
    from supcon.evaluation.corruptions.corrupt import corrupt
    from supcon.evaluation.corruptions.parameters import CORRUPTIONS, EXTRA_CORRUPTIONS
    from supcon.evaluation.encode import centre_crop, encode_split
    from supcon.evaluation.geometry import alignment, class_separation, uniformity
    from supcon.evaluation.mapping import embedding_map
    from supcon.evaluation.measures import (
        classification_measures,
        interval_measures,
        representation_measures,
        scaled_measures,
    )
    from supcon.evaluation.nearest_neighbours import nearest_neighbour_accuracy, nearest_neighbour_scores
    from supcon.evaluation.prototypes import class_prototypes, prototype_accuracy, prototype_scores
    from supcon.evaluation.retrieval import mean_average_precision_at_r, recall_at_k
    from supcon.evaluation.seeds import OverSeeds, over_seeds
    from supcon.evaluation.studies import StudyPoint, study_curve
    from supcon.evaluation.temperature_scaling import fit_temperature
    from supcon.evaluation.under_corruption import (
        corrupted_batches,
        corruption_measures,
        errors_of,
        mean_measures,
        measures_of_sets,
        scores_of_batches,
        severity_measures,
    )

_FILES = {
    "mean_per_class_accuracy": "accuracy",
    "negative_log_likelihood": "accuracy",
    "top_k_accuracy": "accuracy",
    "adaptive_calibration_error": "adaptive_calibration",
    "adaptive_reliability_bins": "adaptive_calibration",
    "eleven_point_average_precision": "average_precision",
    "mean_average_precision_11_points": "average_precision",
    "Interval": "bootstrap",
    "PairedTest": "bootstrap",
    "accuracy_interval": "bootstrap",
    "difference_interval": "bootstrap",
    "mean_interval": "bootstrap",
    "measure_interval": "bootstrap",
    "paired_test": "bootstrap",
    "brier_score": "brier",
    "ReliabilityBins": "calibration",
    "expected_calibration_error": "calibration",
    "reliability_bins": "calibration",
    "confusion_matrix": "confusion",
    "array_batches": "corrupted_sets",
    "folder_batches": "corrupted_sets",
    "published_batches": "corrupted_sets",
    "published_corruptions": "corrupted_sets",
    "ALEXNET": "corruption_errors",
    "CorruptionBaseline": "corruption_errors",
    "corruption_error": "corruption_errors",
    "mean_corruption_error": "corruption_errors",
    "relative_mean_corruption_error": "corruption_errors",
    "run_as_baseline": "corruption_errors",
    "corrupted_batches": "under_corruption",
    "corruption_measures": "under_corruption",
    "errors_of": "under_corruption",
    "mean_measures": "under_corruption",
    "measures_of_sets": "under_corruption",
    "scores_of_batches": "under_corruption",
    "severity_measures": "under_corruption",
    "CORRUPTIONS": "corruptions.parameters",
    "EXTRA_CORRUPTIONS": "corruptions.parameters",
    "corrupt": "corruptions.corrupt",
    "embedding_map": "mapping",
    "centre_crop": "encode",
    "encode_split": "encode",
    "alignment": "geometry",
    "class_separation": "geometry",
    "uniformity": "geometry",
    "classification_measures": "measures",
    "interval_measures": "measures",
    "representation_measures": "measures",
    "scaled_measures": "measures",
    "nearest_neighbour_accuracy": "nearest_neighbours",
    "nearest_neighbour_scores": "nearest_neighbours",
    "class_prototypes": "prototypes",
    "prototype_accuracy": "prototypes",
    "prototype_scores": "prototypes",
    "mean_average_precision_at_r": "retrieval",
    "recall_at_k": "retrieval",
    "OverSeeds": "seeds",
    "over_seeds": "seeds",
    "StudyPoint": "studies",
    "study_curve": "studies",
    "fit_temperature": "temperature_scaling",
}

__all__ = [
    "ALEXNET",
    "CORRUPTIONS",
    "EXTRA_CORRUPTIONS",
    "CorruptionBaseline",
    "Interval",
    "OverSeeds",
    "PairedTest",
    "ReliabilityBins",
    "StudyPoint",
    "accuracy_interval",
    "adaptive_calibration_error",
    "adaptive_reliability_bins",
    "alignment",
    "array_batches",
    "brier_score",
    "centre_crop",
    "class_prototypes",
    "class_separation",
    "classification_measures",
    "confusion_matrix",
    "corrupt",
    "corrupted_batches",
    "corruption_error",
    "corruption_measures",
    "difference_interval",
    "eleven_point_average_precision",
    "embedding_map",
    "encode_split",
    "errors_of",
    "expected_calibration_error",
    "fit_temperature",
    "folder_batches",
    "interval_measures",
    "mean_average_precision_11_points",
    "mean_average_precision_at_r",
    "mean_corruption_error",
    "mean_interval",
    "mean_measures",
    "mean_per_class_accuracy",
    "measure_interval",
    "measures_of_sets",
    "nearest_neighbour_accuracy",
    "nearest_neighbour_scores",
    "negative_log_likelihood",
    "over_seeds",
    "paired_test",
    "prototype_accuracy",
    "prototype_scores",
    "published_batches",
    "published_corruptions",
    "recall_at_k",
    "relative_mean_corruption_error",
    "reliability_bins",
    "representation_measures",
    "run_as_baseline",
    "scaled_measures",
    "scores_of_batches",
    "severity_measures",
    "study_curve",
    "top_k_accuracy",
    "uniformity",
]


def __getattr__(name: str) -> object:
    if name not in _FILES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_FILES[name]}"), name)
