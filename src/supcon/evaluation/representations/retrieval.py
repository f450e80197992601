"""Retrieval metrics: whether the nearest neighbours of an image are of the same class."""

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
    """For each k, the share of images that have an image of their class among their `k` nearest neighbours.

    Images that are the only one of their class are not used as queries.
    """
    if not ks or min(ks) < 1:
        raise RequestError(f"ks must have at least one number of neighbours, each at least 1, got {tuple(ks)}.")
    _check_findable(labels)
    first = torch.cat([_first_match(found) for found, _ in _nearest(representations, labels, max(ks), chunk)])
    return {k: (first < k).double().mean().item() for k in ks}


def mean_average_precision_at_r(representations: Representations, labels: Labels, *, chunk: int = 1024) -> float:
    """MAP@R (Musgrave, Belongie and Lim, 2020), where R is the number of other images of the query's class.

    The sum, over those of the R nearest neighbours that are of the class, of the precision up to each, divided by R: 1
    if all R are of the class. Images that are the only one of their class are not used as queries.
    """
    _check_findable(labels)
    most = int(labels.bincount().max()) - 1
    values = [_average_precision(found, wanted) for found, wanted in _nearest(representations, labels, most, chunk)]
    return torch.cat(values).mean().item()


Found = tuple[Bool[Tensor, "query neighbour"], Int[Tensor, "query"]]
"""Which of a query's nearest neighbours are of its class, and how many other images are."""


def _nearest(representations: Representations, labels: Labels, count: int, chunk: int) -> Iterator[Found]:
    """The `count` nearest neighbours of every query, in chunks of queries."""
    rows = F.normalize(representations, dim=1)
    others = labels.bincount()[labels] - 1
    queries = others.nonzero()[:, 0]
    for index in queries.split(chunk):
        similarity = rows[index] @ rows.T
        similarity[torch.arange(len(index), device=index.device), index] = -torch.inf
        near = similarity.topk(min(count, len(rows) - 1), dim=1).indices
        yield labels[near] == labels[index, None], others[index]


def _first_match(found: Bool[Tensor, "query neighbour"]) -> Int[Tensor, "query"]:
    """How many neighbours are nearer than the first of the class."""
    return (~found).cumprod(1).sum(1)


def _average_precision(found: Bool[Tensor, "query neighbour"], wanted: Int[Tensor, "query"]) -> Tensor:
    ranks = torch.arange(1, found.shape[1] + 1, device=found.device)
    counted = found & (ranks <= wanted[:, None])
    return (counted.cumsum(1) / ranks * counted).double().sum(1) / wanted


def _check_findable(labels: Labels) -> None:
    if len(labels) == 0 or int(labels.min()) < 0 or int(labels.bincount().max()) < 2:
        raise RequestError(
            "Retrieval needs labelled images and at least one class with two of them; add labelled images."
        )
