"""What the paper measures, as functions of tensors."""

from supcon.evaluation.accuracy import mean_per_class_accuracy, negative_log_likelihood, top_k_accuracy
from supcon.evaluation.calibration import ReliabilityBins, expected_calibration_error, reliability_bins
from supcon.evaluation.embedding_map import embedding_map
from supcon.evaluation.encode import centre_crop, encode_split
from supcon.evaluation.measures import classification_measures
from supcon.evaluation.nearest_neighbours import nearest_neighbour_accuracy, nearest_neighbour_scores

__all__ = [
    "ReliabilityBins",
    "centre_crop",
    "classification_measures",
    "embedding_map",
    "encode_split",
    "expected_calibration_error",
    "mean_per_class_accuracy",
    "nearest_neighbour_accuracy",
    "nearest_neighbour_scores",
    "negative_log_likelihood",
    "reliability_bins",
    "top_k_accuracy",
]
