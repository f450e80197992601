"""The losses as everyone writes them: with the whole matrix in memory, several times over.

`textbook` follows the equation step by step, as the authors' module does. The others are lean: one matrix of
similarities, masks multiplied, and no pass that could be left out.
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
    """Of unit rows, divided by the temperature."""
    return (normalize(projections, dim=1) / temperature) @ normalize(columns, dim=1).t()


def masks(labels: Tensor, column_labels: Tensor) -> tuple[Tensor, Tensor]:
    """1 for positives, and 1 for all but the anchor itself; the anchors are the first columns."""
    not_self = torch.ones(len(labels), len(column_labels), device=labels.device).fill_diagonal_(0)
    return (labels[:, None] == column_labels).float() * not_self, not_self


def eq_2(projections: Tensor, labels: Tensor) -> Tensor:
    """Eq. 2."""
    logits, (positive, not_self) = similarities(projections, projections), masks(labels, labels)
    return _eq_2(logits, positive, not_self)


def eq_2_with_queue(projections: Tensor, labels: Tensor, queue: Tensor, queue_labels: Tensor) -> Tensor:
    """Eq. 2 against batch and queue."""
    logits = similarities(projections, torch.cat([projections, queue]))
    positive, not_self = masks(labels, torch.cat([labels, queue_labels]))
    return _eq_2(logits, positive, not_self)


def eq_2_capped(projections: Tensor, labels: Tensor, most: int) -> Tensor:
    """Eq. 2 with at most so many positives, drawn; the others are in no sum."""
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
    """Eq. 2 with the negatives alone in the denominator."""
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
