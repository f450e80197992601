"""The usual implementation of the losses, with the whole similarity matrix in memory.

`textbook` follows the equation step by step, like the authors' module. The others are optimized: one similarity
matrix, multiplied masks, and no unnecessary pass over it.
"""

import torch
from torch import Tensor
from torch.nn.functional import normalize


def textbook(projections: Tensor, labels: Tensor, temperature: float = 0.1) -> Tensor:
    """Eq. 2: similarities, maximum subtracted, masks, log-probabilities, mean over positives."""
    unit = normalize(projections, dim=1)
    logits = unit @ unit.t() / temperature
    logits = logits - logits.max(1, keepdim=True).values.detach()
    not_self = 1 - torch.eye(len(unit), device=unit.device)
    positive = (labels[:, None] == labels).float() * not_self
    log_probability = logits - (logits.exp() * not_self).sum(1, keepdim=True).log()
    return -((log_probability * positive).sum(1) / positive.sum(1).clamp(min=1)).mean()


def similarities(projections: Tensor, columns: Tensor, temperature: float = 0.1) -> Tensor:
    """Similarities of unit rows, divided by the temperature."""
    return (normalize(projections, dim=1) / temperature) @ normalize(columns, dim=1).t()


def masks(labels: Tensor, column_labels: Tensor) -> tuple[Tensor, Tensor]:
    """Masks of the positives, and of all rows except the anchor; the anchors are the first columns."""
    not_self = torch.ones(len(labels), len(column_labels), device=labels.device).fill_diagonal_(0)
    return (labels[:, None] == column_labels).float() * not_self, not_self


def eq_2(projections: Tensor, labels: Tensor) -> Tensor:
    """Eq. 2."""
    logits, (positive, not_self) = similarities(projections, projections), masks(labels, labels)
    return _eq_2(logits, positive, not_self)


def eq_2_with_queue(projections: Tensor, labels: Tensor, queue: Tensor, queue_labels: Tensor) -> Tensor:
    """Eq. 2 with a queue."""
    logits = similarities(projections, torch.cat([projections, queue]))
    positive, not_self = masks(labels, torch.cat([labels, queue_labels]))
    return _eq_2(logits, positive, not_self)


def eq_2_capped(projections: Tensor, labels: Tensor, most: int) -> Tensor:
    """Eq. 2 with a maximum number of positives, drawn at random; the others are excluded from all sums."""
    logits, (positive, not_self) = similarities(projections, projections), masks(labels, labels)
    drawn = (torch.rand_like(positive) * positive).topk(most, 1)
    kept = torch.zeros_like(positive).scatter_(1, drawn.indices, (drawn.values > 0).float())
    return _eq_2(logits, kept, not_self - positive + kept)


def eq_3(projections: Tensor, labels: Tensor) -> Tensor:
    """Eq. 3."""
    logits, (positive, not_self) = similarities(projections, projections), masks(labels, labels)
    exponential = logits.exp()
    numerator = (exponential * positive).sum(1) / positive.sum(1).clamp(min=1)
    return ((exponential * not_self).sum(1).log() - numerator.log()).mean()


def eq_2_negatives(projections: Tensor, labels: Tensor) -> Tensor:
    """Eq. 2 with only the negatives in the denominator."""
    logits, (positive, not_self) = similarities(projections, projections), masks(labels, labels)
    return _eq_2(logits, positive, not_self - positive)


def eq_2_one_positive(projections: Tensor, labels: Tensor) -> Tensor:
    """Eq. 2 with one positive at a time and the negatives in the denominator."""
    logits, (positive, not_self) = similarities(projections, projections), masks(labels, labels)
    exponential = logits.exp()
    under = exponential + (exponential * (not_self - positive)).sum(1, keepdim=True)
    return (((under.log() - logits) * positive).sum(1) / positive.sum(1).clamp(min=1)).mean()


def _eq_2(logits: Tensor, positive: Tensor, under: Tensor) -> Tensor:
    log_denominator = (logits.exp() * under).sum(1).log()
    return (log_denominator - (logits * positive).sum(1) / positive.sum(1).clamp(min=1)).mean()
