"""Average precision of multi-label data: over all images, and at 11 points of recall as in VOC2007."""

from math import nan

import torch
from jaxtyping import Float, Int
from sklearn.metrics import average_precision_score
from torch import Tensor

from supcon.base.errors import RequestError


def average_precisions(scores: Float[Tensor, "image class"], relevant: Int[Tensor, "image class"]) -> list[float]:
    """The average precision of every class, as in scikit-learn: the mean precision at the ranks of its images.

    `relevant` is 1 if the class is in the image, 0 if it is not and -1 if it is not scored. NaN for a class that is in
    no image.

    >>> average_precisions(torch.tensor([[0.9], [0.8], [0.7]]), torch.tensor([[1], [0], [1]]))
    [0.83...]
    """
    values = []
    for label in range(scores.shape[1]):
        counted = relevant[:, label] >= 0
        right = relevant[counted, label].cpu().numpy()
        found = scores[counted, label].cpu().numpy()
        values.append(float(average_precision_score(right, found)) if right.any() else nan)
    return values


def mean_average_precision(scores: Float[Tensor, "image class"], relevant: Int[Tensor, "image class"]) -> float:
    """The mean over the classes that are in at least one image."""
    values = [value for value in average_precisions(scores, relevant) if value == value]
    if not values:
        raise RequestError("The mean average precision needs at least one image with a class, but there is none.")
    return sum(values) / len(values)


def eleven_point_average_precision(scores: Float[Tensor, "image"], relevant: Int[Tensor, "image"]) -> float:
    """Mean over recalls 0, 0.1, … 1 of the best precision at that recall or a higher one.

    `relevant` is 1 if the class is in the image, 0 if it is not and -1 if the image is too difficult to be scored.
    Images of equal score share one rank, so that their order does not matter.

    >>> eleven_point_average_precision(torch.tensor([0.9, 0.8, 0.7]), torch.tensor([1, 0, 1]))
    0.84...
    """
    scores, right = scores[relevant >= 0].double(), relevant[relevant >= 0]
    positives = int(right.sum())
    if positives == 0:
        raise RequestError("The average precision needs at least one image of the class, but there is none.")
    order = scores.argsort(descending=True)
    found = right[order].cumsum(0)
    ranked = scores[order]
    last = torch.cat([ranked[1:] != ranked[:-1], ranked.new_ones(1, dtype=torch.bool)])
    precision = (found / torch.arange(1, len(found) + 1, device=found.device))[last]
    # Compared as integers, because multiples of 0.1 are not exact in floating point.
    reached = 10 * found[last][None] >= torch.arange(11, device=found.device)[:, None] * positives
    return torch.where(reached, precision.double(), 0).amax(1).mean().item()


def mean_average_precision_11_points(
    scores: Float[Tensor, "image class"], relevant: Int[Tensor, "image class"]
) -> float:
    """The mean over all classes that are in at least one image."""
    shown = (relevant == 1).any(0).nonzero()[:, 0].tolist()
    if not shown:
        raise RequestError("The mean average precision needs at least one image with a class, but there is none.")
    values = [eleven_point_average_precision(scores[:, label], relevant[:, label]) for label in shown]
    return sum(values) / len(values)
