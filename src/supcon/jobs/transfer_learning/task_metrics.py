"""Losses and metrics of data sets with one label per image, and of those with several (VOC2007)."""

import torch
import torch.nn.functional as F
from torch import Tensor

from supcon.data import Metric
from supcon.evaluation import mean_average_precision_11_points, mean_per_class_accuracy, top_k_accuracy
from supcon.stages import binary_cross_entropy


def classification_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy; binary cross-entropy for multi-label targets [image, class] of 1, 0 or -1 (not scored)."""
    if targets.ndim == 1:
        return F.cross_entropy(logits, targets)
    return binary_cross_entropy(logits, targets)


def score(logits: Tensor, targets: Tensor, metric: Metric) -> float:
    """The data set's metric, 0..1; 0 if a score is NaN or infinite."""
    if not torch.isfinite(logits).all():
        return 0.0
    if targets.ndim == 2:
        return mean_average_precision_11_points(logits, targets)
    return mean_per_class_accuracy(logits, targets) if metric == "mean_per_class" else top_k_accuracy(logits, targets)
