"""k-nearest-neighbour classification on frozen representations (Wu et al., 2018), without training.

The temperature of the votes is 0.1 here and 0.07 in the code of Wu et al.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from supcon.base.errors import RequestError


def nearest_neighbour_scores(
    queries: Float[Tensor, "query dim"],
    bank: Float[Tensor, "bank dim"],
    bank_labels: Int[Tensor, "bank"],
    classes: int,
    *,
    k: int = 200,
    temperature: float = 0.1,
    chunk: int = 1024,
) -> Float[Tensor, "query class"]:
    """Votes of the `k` most similar bank rows, each with the weight exp(similarity / temperature).

    `classes` is the number of classes of the data; the bank may lack some. All rows of a bank smaller than `k` vote.
    Queries are processed in chunks, so that the matrix queries x bank is never in memory at once.
    """
    if k < 1 or temperature <= 0:
        raise RequestError(f"k must be at least 1 and the temperature above 0, got {k} and {temperature}.")
    bank = F.normalize(bank, dim=1)
    scores = []
    for rows in F.normalize(queries, dim=1).split(chunk):
        similarity, index = (rows @ bank.T).topk(min(k, len(bank)), dim=1)
        # Divided by the nearest row's weight: only ratios matter, and exp does not overflow.
        weight = ((similarity - similarity[:, :1]) / temperature).exp()
        votes = torch.zeros(len(rows), classes, dtype=weight.dtype, device=weight.device)
        scores.append(votes.scatter_add_(1, bank_labels[index], weight))
    return torch.cat(scores)


def nearest_neighbour_accuracy(
    queries: Float[Tensor, "query dim"],
    query_labels: Int[Tensor, "query"],
    bank: Float[Tensor, "bank dim"],
    bank_labels: Int[Tensor, "bank"],
    *,
    k: int = 200,
    temperature: float = 0.1,
) -> float:
    """Share of queries whose class gets the most votes."""
    classes = int(torch.cat([query_labels, bank_labels]).max()) + 1
    scores = nearest_neighbour_scores(queries, bank, bank_labels, classes, k=k, temperature=temperature)
    return (scores.argmax(1) == query_labels).double().mean().item()
