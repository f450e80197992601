"""Geometry of representations on the unit sphere: alignment within classes, uniformity, separation of classes."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.base.shapes import Labels, Representations


def alignment(representations: Representations, labels: Labels) -> float:
    """Mean squared distance between two images of one class, over all such pairs (Wang and Isola, 2020); 0 is best.

    Wang and Isola's positive pairs are views of one image; here they are images of one class, as in the supervised
    loss. The sum over all pairs of a class is computed from the sum of its rows, without forming pairs.
    """
    sums, counts, squares = _class_sums(representations, labels)
    pairs = (counts * (counts - 1)).sum()
    if pairs == 0:
        raise RequestError("The alignment needs at least one class with two images; add images.")
    similarity = (sums.square().sum() - squares.sum()) / pairs
    return (2 - 2 * similarity).item()


def uniformity(representations: Representations, t: float = 2.0, *, chunk: int = 1024) -> float:
    """Log of the mean of exp(-t distance²) over all pairs of images (Wang and Isola, 2020); lower is more uniform.

    It is 0 if all images are at one point. Rows are processed in chunks, so that the matrix of pairs is never in
    memory at once.
    """
    rows = F.normalize(representations, dim=1)
    count = len(rows)
    if count < 2:
        raise RequestError(f"The uniformity needs at least two images, got {count}; add images.")
    sums = []
    for start in range(0, count, chunk):
        similarity = rows[start : start + chunk] @ rows.T
        similarity[torch.arange(len(similarity)), torch.arange(start, start + len(similarity))] = -torch.inf
        sums.append((2 * t * (similarity - 1)).logsumexp(1).double())
    return torch.cat(sums).logsumexp(0).item() - math.log(count * (count - 1))


def class_separation(representations: Representations, labels: Labels) -> float:
    """R² of the classes (Kornblith et al., 2021): 1 - mean distance within classes / mean distance overall; 1 is best.

    Distances are 1 - cosine; every class has the same weight. As published, the means include the distance of an image
    to itself, so that both follow from the class means. 0 if the classes are not separated at all.
    """
    sums, counts, _ = _class_sums(representations, labels)
    means = sums[counts > 0] / counts[counts > 0, None]
    overall = 1 - means.mean(0).square().sum()
    if overall <= 1e-12:
        return 0.0  # a collapsed encoder: all images are at one point
    return (1 - (1 - means.square().sum(1).mean()) / overall).item()


def _class_sums(
    representations: Representations, labels: Labels
) -> tuple[Float[Tensor, "class dim"], Float[Tensor, "class"], Float[Tensor, "batch"]]:
    """The sum of every class's unit-norm rows, their number, and every row's squared norm, in double precision."""
    if len(labels) == 0 or int(labels.min()) < 0:
        raise RequestError("The geometry of the classes needs labelled images; add labels.")
    rows = F.normalize(representations.double(), dim=1)
    classes = int(labels.max()) + 1
    sums = rows.new_zeros(classes, rows.shape[1]).index_add_(0, labels, rows)
    return sums, labels.bincount(minlength=classes).double(), rows.square().sum(1)
