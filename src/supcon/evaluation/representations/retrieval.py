"""Whether the images nearest to an image show the same class."""

from collections.abc import Iterator, Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Int
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.base.shapes import Labels, Representations


def recall_at_k(
    representations: Representations, labels: Labels, ks: Sequence[int] = (1, 5, 10), *, chunk: int = 1024
) -> dict[int, float]:
    """For each k, the share of images that have one of their class among the `k` nearest others.

    Images whose class no other image has cannot be found and are not asked for.
    """
    if not ks or min(ks) < 1:
        raise RequestError(f"ks must name at least one number of neighbours, each at least 1, got {tuple(ks)}.")
    _check_findable(labels)
    first = torch.cat([_first_match(found) for found, _ in _nearest(representations, labels, max(ks), chunk)])
    return {k: (first < k).double().mean().item() for k in ks}


def mean_average_precision_at_r(representations: Representations, labels: Labels, *, chunk: int = 1024) -> float:
    """MAP@R (Musgrave, Belongie and Lim, 2020), R being how many other images there are of the query's class.

    The mean over the R nearest others of the precision up to each, counting only those of the class: 1 when all R
    come before anything else. Images whose class no other image has are not asked for.
    """
    _check_findable(labels)
    most = int(labels.bincount().max()) - 1
    values = [_average_precision(found, wanted) for found, wanted in _nearest(representations, labels, most, chunk)]
    return torch.cat(values).mean().item()


Found = tuple[Bool[Tensor, "query neighbour"], Int[Tensor, "query"]]
"""Which of a query's nearest neighbours are of its class, and how many images are."""


def _nearest(representations: Representations, labels: Labels, count: int, chunk: int) -> Iterator[Found]:
    """The `count` nearest others of every image that can be found, some queries at a time."""
    rows = F.normalize(representations, dim=1)
    others = labels.bincount()[labels] - 1
    queries = others.nonzero()[:, 0]
    for index in queries.split(chunk):
        similarity = rows[index] @ rows.T
        similarity[torch.arange(len(index), device=index.device), index] = -torch.inf
        near = similarity.topk(min(count, len(rows) - 1), dim=1).indices
        yield labels[near] == labels[index, None], others[index]


def _first_match(found: Bool[Tensor, "query neighbour"]) -> Int[Tensor, "query"]:
    """How many neighbours come before the first of the class."""
    return (~found).cumprod(1).sum(1)


def _average_precision(found: Bool[Tensor, "query neighbour"], wanted: Int[Tensor, "query"]) -> Tensor:
    ranks = torch.arange(1, found.shape[1] + 1, device=found.device)
    counted = found & (ranks <= wanted[:, None])
    return (counted.cumsum(1) / ranks * counted).double().sum(1) / wanted


def _check_findable(labels: Labels) -> None:
    if len(labels) == 0 or int(labels.min()) < 0 or int(labels.bincount().max()) < 2:
        raise RequestError(
            "Retrieval needs labelled images and a class with at least two of them; give such a set of images."
        )
