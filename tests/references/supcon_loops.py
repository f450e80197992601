"""Eq. 1, 2 and 3 as float64 loops over sets, written from the paper; slow and plain on purpose."""

import torch
from torch import Tensor


def unit(vector: Tensor) -> Tensor:
    """w / |w|."""
    return vector / (vector * vector).sum().sqrt()


def log_sum(terms: list[Tensor]) -> Tensor:
    """log of a sum of exponentials; minus infinity for the empty sum."""
    if not terms:
        return torch.tensor(-torch.inf, dtype=torch.float64)
    return torch.stack(terms).logsumexp(0)


def row_losses(
    rows: list[Tensor],
    positives: list[dict[int, float]],
    negatives: list[set[int]],
    *,
    temperature: float,
    summation: str = "out",
    denominator: str = "all",
) -> list[Tensor | None]:
    """One value per anchor, None where it has no positive (or, with "negatives", no negative).

    Args:
        rows: z, as they are compared.
        positives: for every anchor, its P(i) with weights.
        negatives: for every anchor, its N(i).
    """
    values: list[Tensor | None] = []
    for i, (own, others) in enumerate(zip(positives, negatives, strict=True)):
        if not own or (denominator == "negatives" and not others):
            values.append(None)
            continue
        similarity = {a: (rows[i] * rows[a]).sum() / temperature for a in {*own, *others}}
        of_negatives = [similarity[n] for n in sorted(others)]
        log_ratio = {}
        for p in own:
            under = {
                "all": [similarity[q] for q in own] + of_negatives,
                "one_positive": [similarity[p], *of_negatives],
                "negatives": of_negatives,
            }[denominator]
            log_ratio[p] = similarity[p] - log_sum(under)
        weight = sum(own.values())
        if summation == "out":
            values.append(-sum(own[p] * log_ratio[p] for p in own) / weight)  # type: ignore[arg-type]
        else:
            ratios = [log_ratio[p] + torch.tensor(own[p], dtype=torch.float64).log() for p in own]
            values.append(-(log_sum(ratios) - torch.tensor(weight, dtype=torch.float64).log()))
    return values


def class_sets(labels: list[int], images: list[int]) -> tuple[list[dict[int, float]], list[set[int]]]:
    """P(i) and N(i) of every row; -1 is a class that only the image's own views share."""
    rows = range(len(labels))
    positives: list[dict[int, float]] = []
    negatives = []
    for i in rows:
        same = {j for j in rows if images[j] == images[i] or (labels[i] >= 0 and labels[j] == labels[i])}
        positives.append({p: 1.0 for p in sorted(same - {i})})
        negatives.append(set(rows) - same)
    return positives, negatives
