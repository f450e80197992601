"""The paper's metrics and others, as functions of tensors and arrays."""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from supcon.evaluation.classification.accuracy import mean_per_class_accuracy as mean_per_class_accuracy
    from supcon.evaluation.classification.accuracy import negative_log_likelihood as negative_log_likelihood
    from supcon.evaluation.classification.accuracy import top_k_accuracy as top_k_accuracy
    from supcon.evaluation.classification.adaptive_calibration import (
        adaptive_calibration_error as adaptive_calibration_error,
    )
    from supcon.evaluation.classification.adaptive_calibration import (
        adaptive_reliability_bins as adaptive_reliability_bins,
    )
    from supcon.evaluation.classification.average_precision import average_precisions as average_precisions
    from supcon.evaluation.classification.average_precision import (
        eleven_point_average_precision as eleven_point_average_precision,
    )
    from supcon.evaluation.classification.average_precision import mean_average_precision as mean_average_precision
    from supcon.evaluation.classification.average_precision import (
        mean_average_precision_11_points as mean_average_precision_11_points,
    )
    from supcon.evaluation.classification.brier import brier_score as brier_score
    from supcon.evaluation.classification.calibration import MOST_BINS as MOST_BINS
    from supcon.evaluation.classification.calibration import ReliabilityBins as ReliabilityBins
    from supcon.evaluation.classification.calibration import expected_calibration_error as expected_calibration_error
    from supcon.evaluation.classification.calibration import reliability_bins as reliability_bins
    from supcon.evaluation.classification.confusion import confusion_matrix as confusion_matrix
    from supcon.evaluation.classification.temperature_scaling import fit_temperature as fit_temperature
    from supcon.evaluation.corruptions.corrupt import corrupt as corrupt
    from supcon.evaluation.corruptions.corrupted_sets import array_batches as array_batches
    from supcon.evaluation.corruptions.corrupted_sets import folder_batches as folder_batches
    from supcon.evaluation.corruptions.corrupted_sets import published_batches as published_batches
    from supcon.evaluation.corruptions.corrupted_sets import published_images as published_images
    from supcon.evaluation.corruptions.corruption_errors import ALEXNET as ALEXNET
    from supcon.evaluation.corruptions.corruption_errors import CorruptionBaseline as CorruptionBaseline
    from supcon.evaluation.corruptions.corruption_errors import corruption_error as corruption_error
    from supcon.evaluation.corruptions.corruption_errors import mean_corruption_error as mean_corruption_error
    from supcon.evaluation.corruptions.corruption_errors import (
        relative_mean_corruption_error as relative_mean_corruption_error,
    )
    from supcon.evaluation.corruptions.corruption_errors import run_as_baseline as run_as_baseline
    from supcon.evaluation.corruptions.frost.frost import frost_name as frost_name
    from supcon.evaluation.corruptions.frost.frost import frost_texture as frost_texture
    from supcon.evaluation.corruptions.parameters import CORRUPTIONS as CORRUPTIONS
    from supcon.evaluation.corruptions.parameters import EXTRA_CORRUPTIONS as EXTRA_CORRUPTIONS
    from supcon.evaluation.corruptions.parameters import SEVERITIES as SEVERITIES
    from supcon.evaluation.corruptions.parameters import FrostTexture as FrostTexture
    from supcon.evaluation.corruptions.set_folders import has_corruptions as has_corruptions
    from supcon.evaluation.corruptions.set_folders import has_severity as has_severity
    from supcon.evaluation.corruptions.set_folders import published_corruptions as published_corruptions
    from supcon.evaluation.corruptions.under_corruption import corrupted_batches as corrupted_batches
    from supcon.evaluation.corruptions.under_corruption import corruption_measures as corruption_measures
    from supcon.evaluation.corruptions.under_corruption import errors_of as errors_of
    from supcon.evaluation.corruptions.under_corruption import mean_measures as mean_measures
    from supcon.evaluation.corruptions.under_corruption import measures_of_sets as measures_of_sets
    from supcon.evaluation.corruptions.under_corruption import scores_of_batches as scores_of_batches
    from supcon.evaluation.corruptions.under_corruption import severity_measures as severity_measures
    from supcon.evaluation.measures import classification_measures as classification_measures
    from supcon.evaluation.measures import interval_measures as interval_measures
    from supcon.evaluation.measures import representation_measures as representation_measures
    from supcon.evaluation.measures import scaled_measures as scaled_measures
    from supcon.evaluation.representations.embedding_map import embedding_map as embedding_map
    from supcon.evaluation.representations.embedding_map import map_method as map_method
    from supcon.evaluation.representations.encode_split import Encode as Encode
    from supcon.evaluation.representations.encode_split import centre_crop as centre_crop
    from supcon.evaluation.representations.encode_split import encode_split as encode_split
    from supcon.evaluation.representations.encode_split import fitting_batch as fitting_batch
    from supcon.evaluation.representations.linear_probe import (
        logistic_regression_accuracy as logistic_regression_accuracy,
    )
    from supcon.evaluation.representations.nearest_neighbours import (
        nearest_neighbour_accuracy as nearest_neighbour_accuracy,
    )
    from supcon.evaluation.representations.nearest_neighbours import (
        nearest_neighbour_scores as nearest_neighbour_scores,
    )
    from supcon.evaluation.representations.nearest_neighbours import nearest_rows as nearest_rows
    from supcon.evaluation.representations.nearest_neighbours import usual_neighbours as usual_neighbours
    from supcon.evaluation.representations.prototypes import class_prototypes as class_prototypes
    from supcon.evaluation.representations.prototypes import prototype_accuracy as prototype_accuracy
    from supcon.evaluation.representations.prototypes import prototype_scores as prototype_scores
    from supcon.evaluation.representations.retrieval import mean_average_precision_at_r as mean_average_precision_at_r
    from supcon.evaluation.representations.retrieval import recall_at_k as recall_at_k
    from supcon.evaluation.representations.sphere_geometry import alignment as alignment
    from supcon.evaluation.representations.sphere_geometry import class_separation as class_separation
    from supcon.evaluation.representations.sphere_geometry import uniformity as uniformity
    from supcon.evaluation.statistics.bootstrap import Interval as Interval
    from supcon.evaluation.statistics.bootstrap import PairedTest as PairedTest
    from supcon.evaluation.statistics.bootstrap import accuracy_interval as accuracy_interval
    from supcon.evaluation.statistics.bootstrap import difference_interval as difference_interval
    from supcon.evaluation.statistics.bootstrap import mean_interval as mean_interval
    from supcon.evaluation.statistics.bootstrap import measure_interval as measure_interval
    from supcon.evaluation.statistics.bootstrap import paired_test as paired_test
    from supcon.evaluation.statistics.over_seeds import OverSeeds as OverSeeds
    from supcon.evaluation.statistics.over_seeds import over_seeds as over_seeds
    from supcon.evaluation.statistics.over_settings import StudyPoint as StudyPoint
    from supcon.evaluation.statistics.over_settings import study_curve as study_curve
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)
