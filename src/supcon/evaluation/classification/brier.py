"""The Brier score (Brier, 1950): squared distance between the probabilities and what happened."""

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from supcon.base.shapes import Labels


def brier_score(probabilities: Float[Tensor, "batch class"], labels: Labels) -> float:
    """Mean of the squared distance from the one-hot label, over all classes: 0 at best, 2 for sure and always wrong.

    >>> import torch
    >>> brier_score(torch.tensor([[0.75, 0.25]]), torch.tensor([0]))
    0.125
    """
    happened = F.one_hot(labels, probabilities.shape[1])
    return (probabilities.double() - happened).square().sum(1).mean().item()
