"""Eq. 1, 2 and 3 as float64 loops over sets, written from the paper; slow and plain on purpose."""

from collections.abc import Sequence

import torch
from torch import Tensor

Positives = list[dict[int, float]]
"""For every anchor, its P(i) with weights."""
Negatives = list[set[int]]
"""For every anchor, its N(i)."""


def unit(vector: Tensor) -> Tensor:
    """w / |w|."""
    return vector / (vector * vector).sum().sqrt()


def log_sum(terms: Sequence[Tensor]) -> Tensor:
    """log of a sum of exponentials; minus infinity for the empty sum."""
    if not terms:
        return torch.tensor(-torch.inf, dtype=torch.float64)
    largest = max(term.item() for term in terms)
    return largest + sum(((term - largest).exp() for term in terms), start=torch.zeros(())).log()


def anchor_loss(
    i: int,
    rows: Sequence[Tensor],
    positives: dict[int, float],
    negatives: set[int],
    *,
    temperature: float,
    summation: str,
    denominator: str,
) -> Tensor:
    """Eq. 2 or Eq. 3 for one anchor that has positives."""
    similarity = {a: (rows[i] * rows[a]).sum() / temperature for a in {*positives, *negatives}}
    of_negatives = [similarity[n] for n in sorted(negatives)]
    of_positives = [similarity[p] for p in positives]
    log_ratio = {}
    for p in positives:
        under = {
            "all": of_positives + of_negatives,
            "one_positive": [similarity[p], *of_negatives],
            "negatives": of_negatives,
        }[denominator]
        log_ratio[p] = similarity[p] - log_sum(under)
    share = {p: torch.tensor(weight / sum(positives.values()), dtype=torch.float64) for p, weight in positives.items()}
    if summation == "out":
        return -sum((share[p] * log_ratio[p] for p in positives), start=torch.zeros(()))
    return -log_sum([share[p].log() + log_ratio[p] for p in positives])


def row_losses(
    rows: Sequence[Tensor],
    positives: Positives,
    negatives: Negatives,
    *,
    temperature: float = 0.1,
    summation: str = "out",
    denominator: str = "all",
) -> list[Tensor | None]:
    """One value per anchor, None for a row without a positive or, with "negatives", without a negative.

    Args:
        rows: z as they are compared, anchors first.
        positives: for every anchor, its P(i) with weights.
        negatives: for every anchor, its N(i).
        temperature: tau.
        summation: "out", Eq. 2, or "in", Eq. 3.
        denominator: "all", "one_positive" or "negatives".
    """
    values: list[Tensor | None] = []
    for i, (own, others) in enumerate(zip(positives, negatives, strict=True)):
        is_anchor = own and (others or denominator != "negatives")
        options = {"temperature": temperature, "summation": summation, "denominator": denominator}
        values.append(anchor_loss(i, rows, own, others, **options) if is_anchor else None)  # type: ignore[arg-type]
    return values


def mean(values: Sequence[Tensor | None]) -> Tensor:
    """Over those that are anchors."""
    present = [value for value in values if value is not None]
    return sum(present, start=torch.zeros((), dtype=torch.float64)) / len(present)


def class_sets(labels: Sequence[int], images: Sequence[int], anchors: int | None = None) -> tuple[Positives, Negatives]:
    """P(i) and N(i) of the first `anchors` rows among all; a label of -1 is shared by the image's own views only."""
    rows = range(len(labels))
    positives: Positives = []
    negatives: Negatives = []
    for i in rows[:anchors]:
        same = {j for j in rows if images[j] == images[i] or (labels[i] >= 0 and labels[j] == labels[i])}
        positives.append(dict.fromkeys(sorted(same - {i}), 1.0))
        negatives.append(set(rows) - same)
    return positives, negatives


def weighted_sets(pair_weights: Tensor) -> tuple[Positives, Negatives]:
    """P(i) and N(i) from a matrix of weights."""
    weights = pair_weights.tolist()
    rows = range(len(weights))
    positives = [{p: float(weights[i][p]) for p in rows if p != i and weights[i][p] > 0} for i in rows]
    negatives = [{n for n in rows if n != i and weights[i][n] == 0} for i in rows]
    return positives, negatives


def kept_positives(cycles: Sequence[Sequence[int]], images: Sequence[int], most: int) -> list[set[int]]:
    """What a cap keeps: in the cycle of its class, the `most` rows behind the anchor's image and its own other views.

    Args:
        cycles: the rows of every class in their cyclic order, views of one image side by side.
        images: which image each row is of.
        most: the cap.
    """
    kept: list[set[int]] = [set() for _ in images]
    for cycle in cycles:
        for i in cycle:
            own = {j for j in cycle if images[j] == images[i]}
            last = max(place for place, j in enumerate(cycle) if j in own)
            behind = [cycle[(last + step) % len(cycle)] for step in range(1, len(cycle) - len(own) + 1)]
            kept[i] = (own - {i}) | set(behind[: most - len(own) + 1])
    return kept
