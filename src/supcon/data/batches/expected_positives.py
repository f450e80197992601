"""How many positives an anchor will have, before a step is taken: what the batches, classes and views decide."""

from collections.abc import Iterable
from itertools import islice

import torch
from torch import Tensor

from supcon.base.shapes import Labels

_BATCHES = 50


def count_positives(batches: Iterable[Tensor], labels: Labels, views: int) -> tuple[float, float]:
    """Positives of an anchor on average, and the share of anchors that have none but their own views.

    Counted over the first fifty batches that will come. An unlabelled image (-1) has only its own views.

    >>> count_positives([torch.tensor([0, 1, 2, 3])], torch.tensor([7, 7, 7, 8]), views=2)
    (4.0, 0.25)
    """
    others = []
    for batch in islice(batches, _BATCHES):
        drawn = labels[batch]
        _, place, counts = drawn.unique(return_inverse=True, return_counts=True)
        others.append(torch.where(drawn < 0, 0, counts[place] - 1))
    alone = torch.cat(others)
    return float((views * alone + views - 1).double().mean()), float((alone == 0).double().mean())


def positives_sentence(batches: Iterable[Tensor], labels: Labels, views: int) -> str:
    """What a person should know before stage 1 begins."""
    positives, lonely = count_positives(batches, labels, views)
    warning = "; larger batches or --stage1.sampler m-per-class give them company" if lonely > 0.2 else ""
    return (
        f"An anchor has {positives:.1f} positives on average; "
        f"{lonely:.1%} of the anchors have none but their own views{warning}."
    )
