"""Evaluation of a trained model on images with several labels each."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.data import ImageData
from supcon.evaluation import (
    average_precisions,
    mean_average_precision,
    mean_average_precision_11_points,
    nearest_neighbour_scores,
    uniformity,
)
from supcon.recipes import Recipe
from supcon.stages import METHODS, binary_cross_entropy

_METHODS = [name for name, spec in METHODS.items() if spec.loss in ("supcon-out", "supcon-in", "cross-entropy")]


def check_multi_label(recipe: Recipe, name: str) -> None:
    """Raises an error for settings that are not defined for several labels per image."""
    usable = [method for method in _METHODS if not METHODS[method].joint_classifier]
    wrong = {
        "method": recipe.method not in usable,
        "mix.method": recipe.mix.method != "none",
        "loss.queue_size": recipe.loss.queue_size != 0 and METHODS[recipe.method].labelled,
        "loss.max_positives": recipe.loss.max_positives is not None and METHODS[recipe.method].labelled,
        "stage1.sampler": recipe.stage1.sampler != "plain",
        "stage2.sampler": recipe.stage2.sampler != "plain",
    }
    for option, refused in wrong.items():
        if refused:
            raise RequestError(
                f"{name} has several labels per image, for which this value of {option} is not defined; leave it out "
                f"(methods for such data: {', '.join(usable)})."
            )


def neighbour_precision(
    queries: Tensor, labels: Tensor, bank: Tensor, bank_labels: Tensor, k: int | None = None, temperature: float = 0.1
) -> float:
    """Mean average precision of the votes of the most similar training images."""
    votes = nearest_neighbour_scores(queries, bank, bank_labels, labels.shape[1], k=k, temperature=temperature)
    return mean_average_precision(votes, labels)


def multi_label_measures(
    scores: Mapping[str, Tensor],
    representations: Mapping[str, Tensor],
    data: ImageData,
    k: int | None = None,
    knn_temperature: float = 0.1,
) -> dict[str, float]:
    """Mean average precision and loss of the classifier, and metrics of the representation without it."""
    test, measures = data.test.labels, {"test/map": mean_average_precision(scores["test"], data.test.labels)}
    if data.metric == "map_11_point":
        measures["test/map_11_point"] = mean_average_precision_11_points(scores["test"], test)
    measures["test/nll"] = binary_cross_entropy(scores["test"], test).item()
    measures["test/knn_map"] = neighbour_precision(
        representations["test"], test, representations["train"], data.train.labels, k, knn_temperature
    )
    if len(test) > 1:
        measures["test/uniformity"] = uniformity(representations["test"])
    if len(data.validation):
        measures["validation/map"] = mean_average_precision(scores["validation"], data.validation.labels)
    for name, value in zip(data.class_names, average_precisions(scores["test"], test), strict=True):
        if value == value:
            measures[f"test/class/{name}/ap"] = value
    return measures


def confident_errors(probabilities: NDArray[np.float32], labels: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """The images with the largest difference between a label and its predicted probability, largest first."""
    gap = np.where(labels < 0, 0, np.abs(probabilities - labels)).max(1)
    return np.argsort(-gap, kind="stable")[:limit]
