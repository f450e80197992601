"""Pairs by given weights: P(i) is every row of the batch with a weight above 0, N(i) every row with weight 0."""

from collections.abc import Sequence

import torch
from torch import Tensor

from supcon.losses.exclusion import ClassExcluded, NothingExcluded, SelfExcluded, WeightedExcluded, class_counts
from supcon.losses.pairs import Pairs, Source
from supcon.losses.positives import ClassPositives, WeightedPositives
from supcon.losses.rows import Rows
from supcon.losses.tiles import strips


def weighted_pairs(
    sources: Sequence[Rows], anchor_row: Tensor | None, pair_weights: Tensor, *, temperature: float, in_range: bool
) -> Pairs:
    """Pair anchors with all rows of the batch by weight, and with those of a queue by class.

    Args:
        sources: the batch and, if there is one, the queue.
        anchor_row: [anchor], the rows of the batch that are anchors; None: all.
        pair_weights: [anchor, row of the batch].
        temperature: tau.
        in_range: no |row . row| / temperature is above `EXPONENT_RANGE`.
    """
    batch, *queues = sources
    own = torch.arange(len(batch.label), device=batch.label.device) if anchor_row is None else anchor_row
    anchors = batch.projections if anchor_row is None else batch.projections[own]
    itself = SelfExcluded(anchor_row)
    weighted = WeightedPositives(pair_weights, itself, anchors.dtype)
    first = Source(
        columns=batch.projections,
        other=itself,
        negative=WeightedExcluded(pair_weights, anchor_row),
        positive=weighted,
    )
    weight = [weighted.weights(rows, slice(0, len(batch.label))).sum(1) for rows in strips(len(own), 128)]
    of_queue = [class_counts(batch.label[own], queue.label) for queue in queues]
    return Pairs(
        anchors=anchors,
        row=anchor_row,
        sources=[first, *(_queue_source(batch.label[own], queue) for queue in queues)],
        capped=False,
        weighted=True,
        positive_weight=torch.cat(weight).to(anchors.dtype) + sum(of_queue),
        class_similarity=None,
        temperature=temperature,
        in_range=in_range,
    )


def _queue_source(anchor_label: Tensor, queue: Rows) -> Source:
    _, class_index = torch.unique(torch.cat([anchor_label, queue.label]), return_inverse=True)
    anchor_class, column_class = class_index.tensor_split([len(anchor_label)])
    row = column_class.argsort(stable=True)
    dtype = queue.projections.dtype
    classes = (anchor_class.to(dtype), column_class[row].to(dtype))
    nothing = NothingExcluded()
    return Source(
        columns=queue.projections[row],
        other=nothing,
        negative=ClassExcluded(*classes, is_sorted=True),
        positive=ClassPositives(*classes, True, None, nothing, dtype),
    )
