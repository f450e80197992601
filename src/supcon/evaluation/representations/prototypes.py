"""Classification by the nearest prototype, the mean representation of a class, without training."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from supcon.base.errors import RequestError


def class_prototypes(
    representations: Float[Tensor, "bank dim"], labels: Int[Tensor, "bank"], classes: int
) -> Float[Tensor, "{classes} dim"]:
    """The mean of every class's unit-norm representations, scaled to unit norm; zero for a class without images.

    Rows labelled -1 are unlabelled and belong to no class.
    """
    if len(labels) and int(labels.max()) >= classes:
        raise RequestError(f"Labels must be below the number of classes, {classes}, got {int(labels.max())}.")
    known = labels >= 0
    sums = representations.new_zeros(classes, representations.shape[1])
    sums.index_add_(0, labels[known], F.normalize(representations[known], dim=1))
    return F.normalize(sums, dim=1)


def prototype_scores(
    queries: Float[Tensor, "query dim"], prototypes: Float[Tensor, "class dim"]
) -> Float[Tensor, "query class"]:
    """Cosine similarity to every prototype; minus infinity for a class without one."""
    missing = (prototypes == 0).all(1)
    return (F.normalize(queries, dim=1) @ prototypes.T).masked_fill(missing, -torch.inf)


def prototype_accuracy(
    queries: Float[Tensor, "query dim"],
    query_labels: Int[Tensor, "query"],
    bank: Float[Tensor, "bank dim"],
    bank_labels: Int[Tensor, "bank"],
) -> float:
    """Share of queries whose nearest prototype is that of their class."""
    classes = int(torch.cat([query_labels, bank_labels]).max()) + 1
    scores = prototype_scores(queries, class_prototypes(bank, bank_labels, classes))
    return (scores.argmax(1) == query_labels).double().mean().item()
