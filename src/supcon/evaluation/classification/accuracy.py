"""Accuracy and negative log-likelihood."""

import torch
import torch.nn.functional as F

from supcon.base.shapes import Labels, Logits


def top_k_accuracy(logits: Logits, labels: Labels, k: int = 1) -> float:
    """Share of images whose class is among the `k` highest scores; 1 if there are at most `k` classes.

    Examples:
        >>> top_k_accuracy(torch.tensor([[1.0, 2.0, 0.0], [3.0, 1.0, 2.0]]), torch.tensor([1, 2]), k=1)
        0.5
    """
    best = logits.topk(min(k, logits.shape[1]), dim=1).indices
    return (best == labels[:, None]).any(1).double().mean().item()


def mean_per_class_accuracy(logits: Logits, labels: Labels) -> float:
    """Mean over the classes in `labels` of the accuracy of each: a rare class counts as much as a frequent one."""
    right = (logits.argmax(1) == labels).double()
    accuracies = [right[labels == label].mean() for label in labels.unique()]
    return torch.stack(accuracies).mean().item()


def negative_log_likelihood(logits: Logits, labels: Labels) -> float:
    """Mean of -log p(true class): 0 if every true class has probability 1, log(classes) for uniform predictions."""
    return F.cross_entropy(logits.double(), labels).item()
