"""What the paper measures, as functions of tensors."""

from supcon.evaluation.accuracy import mean_per_class_accuracy, negative_log_likelihood, top_k_accuracy
from supcon.evaluation.adaptive_calibration import adaptive_calibration_error, adaptive_reliability_bins
from supcon.evaluation.average_precision import eleven_point_average_precision, mean_average_precision_11_points
from supcon.evaluation.bootstrap import (
    Interval,
    PairedTest,
    accuracy_interval,
    mean_interval,
    measure_interval,
    paired_test,
)
from supcon.evaluation.brier import brier_score
from supcon.evaluation.calibration import ReliabilityBins, expected_calibration_error, reliability_bins
from supcon.evaluation.confusion import confusion_matrix
from supcon.evaluation.corrupted_sets import array_batches, folder_batches, published_batches, published_corruptions
from supcon.evaluation.corruption_error import (
    ALEXNET,
    CorruptionBaseline,
    corruption_error,
    mean_corruption_error,
    relative_mean_corruption_error,
    run_as_baseline,
)
from supcon.evaluation.corruption_measures import (
    corrupted_batches,
    corruption_measures,
    errors_of,
    mean_measures,
    scores_of_batches,
    severity_measures,
)
from supcon.evaluation.corruptions import CORRUPTIONS, EXTRA_CORRUPTIONS, corrupt
from supcon.evaluation.embedding_map import embedding_map
from supcon.evaluation.encode import centre_crop, encode_split
from supcon.evaluation.geometry import alignment, class_separation, uniformity
from supcon.evaluation.measures import classification_measures
from supcon.evaluation.nearest_neighbours import nearest_neighbour_accuracy, nearest_neighbour_scores
from supcon.evaluation.prototypes import class_prototypes, prototype_accuracy, prototype_scores
from supcon.evaluation.retrieval import mean_average_precision_at_r, recall_at_k
from supcon.evaluation.seeds import OverSeeds, over_seeds
from supcon.evaluation.temperature_scaling import fit_temperature

__all__ = [
    "ALEXNET",
    "CORRUPTIONS",
    "EXTRA_CORRUPTIONS",
    "CorruptionBaseline",
    "Interval",
    "OverSeeds",
    "PairedTest",
    "ReliabilityBins",
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
    "eleven_point_average_precision",
    "embedding_map",
    "encode_split",
    "errors_of",
    "expected_calibration_error",
    "fit_temperature",
    "folder_batches",
    "mean_average_precision_11_points",
    "mean_average_precision_at_r",
    "mean_corruption_error",
    "mean_interval",
    "mean_measures",
    "mean_per_class_accuracy",
    "measure_interval",
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
    "run_as_baseline",
    "scores_of_batches",
    "severity_measures",
    "top_k_accuracy",
    "uniformity",
]
