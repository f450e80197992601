"""The Brier score (Brier, 1950): squared distance between the probabilities and the one-hot label."""

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from supcon.base.shapes import Labels


def brier_score(probabilities: Float[Tensor, "batch class"], labels: Labels) -> float:
    """Mean squared distance from the one-hot label: 0 is best, 2 is probability 1 for a wrong class on every image.

    >>> import torch
    >>> brier_score(torch.tensor([[0.75, 0.25]]), torch.tensor([0]))
    0.125
    """
    targets = F.one_hot(labels, probabilities.shape[1])
    return (probabilities.double() - targets).square().sum(1).mean().item()
