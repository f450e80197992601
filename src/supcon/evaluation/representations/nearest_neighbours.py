"""k-nearest-neighbour classification on frozen representations (Wu et al., 2018), without training.

The temperature of the votes is 0.1 here and 0.07 in the code of Wu et al.
"""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from supcon.base.errors import RequestError

MOST_NEIGHBOURS = 200
"""k of Wu et al. for ImageNet's 1.28 million training images."""


def usual_neighbours(bank: int) -> int:
    """The default k for a bank of this many training images: their square root, at most 200.

    Examples:
        >>> tuple(usual_neighbours(bank) for bank in (221, 1257, 50_000, 1_281_167))
        (15, 35, 200, 200)
    """
    return max(1, min(MOST_NEIGHBOURS, round(math.sqrt(bank))))


def nearest_rows(
    queries: Float[Tensor, "query dim"], bank: Float[Tensor, "bank dim"], k: int, *, chunk: int = 1024
) -> tuple[Int[Tensor, "query k"], Float[Tensor, "query k"]]:
    """The `k` bank rows most similar to each query, nearest first, and their similarities; all rows of a smaller bank.

    Rows have unit norm. Queries are processed in chunks, so that the matrix queries x bank is never in memory at once.
    """
    found = [(rows @ bank.T).topk(min(k, len(bank)), dim=1) for rows in queries.split(chunk)]
    return torch.cat([each.indices for each in found]), torch.cat([each.values for each in found])


def nearest_neighbour_scores(
    queries: Float[Tensor, "query dim"],
    bank: Float[Tensor, "bank dim"],
    bank_labels: Int[Tensor, "bank"] | Int[Tensor, "bank class"],
    classes: int,
    *,
    k: int | None = None,
    temperature: float = 0.1,
    chunk: int = 1024,
) -> Float[Tensor, "query class"]:
    """Votes of the `k` most similar bank rows, each with the weight exp(similarity / temperature).

    `k` is `usual_neighbours` of the bank unless given.
    `classes` is the number of classes of the data; the bank may lack some. All rows of a bank smaller than `k` vote.
    Queries are processed in chunks, so that the matrix queries x bank is never in memory at once.
    """
    k = usual_neighbours(len(bank)) if k is None else k
    if k < 1 or temperature <= 0:
        raise RequestError(f"k must be at least 1 and the temperature above 0, got {k} and {temperature}.")
    bank = F.normalize(bank, dim=1)
    scores = []
    for rows in F.normalize(queries, dim=1).split(chunk):
        index, similarity = nearest_rows(rows, bank, k, chunk=chunk)
        # Divided by the nearest row's weight: only ratios matter, and exp does not overflow.
        weight = ((similarity - similarity[:, :1]) / temperature).exp()
        scores.append(_votes(weight, bank_labels[index], classes))
    return torch.cat(scores)


def _votes(weight: Tensor, labels: Tensor, classes: int) -> Tensor:
    """Every neighbour votes for its class; one with several labels for each of them, as a share of all votes."""
    if labels.ndim == 3:
        share = weight / weight.sum(1, keepdim=True)
        return (share.unsqueeze(1) @ labels.clamp_min(0).to(weight.dtype)).squeeze(1)
    votes = torch.zeros(len(weight), classes, dtype=weight.dtype, device=weight.device)
    return votes.scatter_add_(1, labels, weight)


def nearest_neighbour_accuracy(
    queries: Float[Tensor, "query dim"],
    query_labels: Int[Tensor, "query"],
    bank: Float[Tensor, "bank dim"],
    bank_labels: Int[Tensor, "bank"],
    *,
    k: int | None = None,
    temperature: float = 0.1,
) -> float:
    """Share of queries whose class gets the most votes; `k` follows the bank's size unless it is given."""
    classes = int(torch.cat([query_labels, bank_labels]).max()) + 1
    scores = nearest_neighbour_scores(queries, bank, bank_labels, classes, k=k, temperature=temperature)
    return (scores.argmax(1) == query_labels).double().mean().item()
