"""How many positives an anchor will have, counted before training from the batches, labels and views."""

from collections.abc import Iterable
from itertools import islice

import torch
from torch import Tensor

from supcon.base.shapes import Labels

_BATCHES = 50


def count_positives(batches: Iterable[Tensor], labels: Labels, views: int) -> tuple[float, float]:
    """Mean number of positives of an anchor, and the share of anchors whose only positives are their own views.

    Counted over the first fifty batches. The only positives of an unlabelled image (-1) are its own views.

    >>> count_positives([torch.tensor([0, 1, 2, 3])], torch.tensor([7, 7, 7, 8]), views=2)
    (4.0, 0.25)
    """
    others = []
    for batch in islice(batches, _BATCHES):
        drawn = labels[batch]
        _, class_index, counts = drawn.unique(return_inverse=True, return_counts=True)
        others.append(torch.where(drawn < 0, 0, counts[class_index] - 1))
    same_class = torch.cat(others)
    return float((views * same_class + views - 1).double().mean()), float((same_class == 0).double().mean())


def positives_sentence(batches: Iterable[Tensor], labels: Labels, views: int) -> str:
    """The counts as a sentence, shown before stage 1, with advice if many anchors have few positives."""
    positives, own_views = count_positives(batches, labels, views)
    advice = "; larger batches or --stage1.sampler m-per-class add positives from other images"
    return (
        f"An anchor has {positives:.1f} positives on average; {own_views:.1%} of the anchors have no positives except "
        f"their own views{advice if own_views > 0.2 else ''}."
    )
