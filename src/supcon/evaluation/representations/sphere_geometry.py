"""How representations lie on the sphere: alike within a class, spread over all, the classes apart."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.base.shapes import Labels, Representations


def alignment(representations: Representations, labels: Labels) -> float:
    """Mean squared distance between two images of one class, over all such pairs (Wang and Isola, 2020); 0 is best.

    Their positive pairs are views of one image; those of the supervised loss are images of one class. The sum over
    all pairs of a class follows from the class's sum, so no pair is ever looked at.
    """
    sums, counts, squares = _class_sums(representations, labels)
    pairs = (counts * (counts - 1)).sum()
    if pairs == 0:
        raise RequestError("The alignment needs a class with at least two images; give such a set of images.")
    similarity = (sums.square().sum() - squares.sum()) / pairs
    return (2 - 2 * similarity).item()


def uniformity(representations: Representations, t: float = 2.0, *, chunk: int = 1024) -> float:
    """Log of the mean of exp(-t distance²) over all pairs of images (Wang and Isola, 2020); lower is more even.

    0 is a single point. Rows go in chunks, so that the matrix of pairs is never built at once.
    """
    rows = F.normalize(representations, dim=1)
    count = len(rows)
    if count < 2:
        raise RequestError(f"The uniformity needs at least two images, got {count}; give more.")
    sums = []
    for start in range(0, count, chunk):
        similarity = rows[start : start + chunk] @ rows.T
        similarity[torch.arange(len(similarity)), torch.arange(start, start + len(similarity))] = -torch.inf
        sums.append((2 * t * (similarity - 1)).logsumexp(1).double())
    return torch.cat(sums).logsumexp(0).item() - math.log(count * (count - 1))


def class_separation(representations: Representations, labels: Labels) -> float:
    """R² of the classes (Kornblith et al., 2021): 1 - distance within classes / distance overall, 1 at best.

    Distances are 1 - cosine; every class weighs the same, every image counts with itself too, as published, so that
    both means follow from the means of the classes. 0 when the classes are not told apart at all.
    """
    sums, counts, _ = _class_sums(representations, labels)
    means = sums[counts > 0] / counts[counts > 0, None]
    overall = 1 - means.mean(0).square().sum()
    if overall <= 1e-12:
        return 0.0  # a collapsed encoder: one point, nothing apart
    return (1 - (1 - means.square().sum(1).mean()) / overall).item()


def _class_sums(
    representations: Representations, labels: Labels
) -> tuple[Float[Tensor, "class dim"], Float[Tensor, "class"], Float[Tensor, "batch"]]:
    """The sum of every class's unit rows, how many there are, and every row's squared norm, in double precision."""
    if len(labels) == 0 or int(labels.min()) < 0:
        raise RequestError("The classes' geometry needs labelled images; give a set of them.")
    rows = F.normalize(representations.double(), dim=1)
    classes = int(labels.max()) + 1
    sums = rows.new_zeros(classes, rows.shape[1]).index_add_(0, labels, rows)
    return sums, labels.bincount(minlength=classes).double(), rows.square().sum(1)
