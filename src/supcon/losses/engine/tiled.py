"""Eq. 1, 2 and 3 for large batches: the sums of `dense`, tile by tile, with memory linear in the number of rows.

The positives of Eq. 2 need no pairs: the sum of z_i . z_p over P(i) is z_i . (S - z_i), with S the sum over the class.
For sums that treat positives and negatives differently, the rows are sorted by class: positives are then in a narrow
band around the diagonal, and only tiles in that band need masks.
"""

from dataclasses import replace

import torch
from torch import Tensor

from supcon.losses.config import Denominator, Summation
from supcon.losses.engine.dense import MASKED
from supcon.losses.engine.pair_sets import EMPTY, Pairs
from supcon.losses.engine.product import is_refused_by_torch_func
from supcon.losses.engine.tile_operator import Numbers, pair_sums


def anchor_losses(pairs: Pairs, summation: Summation, denominator: Denominator) -> tuple[Tensor, Tensor]:
    """[anchor] the loss, 0 if the row has no positive; and [anchor] True if it has one."""
    has_plain_classes = pairs.pair_weights is None and pairs.max_positives is None
    if has_plain_classes and summation == "out" and denominator == "all" and pairs.batch_negatives:
        return _anchor_losses(pairs, summation, denominator)
    if pairs.pair_weights is not None:
        return _anchor_losses(pairs, summation, denominator)
    pairs, position = _sorted_by_class(pairs)
    values, is_anchor = _anchor_losses(pairs, summation, denominator)
    return values[position], is_anchor[position]


def log_sum_over_others(pairs: Pairs) -> Tensor:
    """[anchor]: log of the sum of exp(s_ia) over A(i)."""
    return _sums(pairs, "others", "none")[0]


def _anchor_losses(pairs: Pairs, summation: Summation, denominator: Denominator) -> tuple[Tensor, Tensor]:
    weight, positive_similarity = _class_sums(pairs)
    is_anchor = weight > 0
    weight = weight.clamp(min=torch.finfo(weight.dtype).tiny)
    if denominator == "one_positive":
        n, _ = _sums(pairs, "negatives", "none")
        _, positive = _sums(pairs, "none", f"one_positive_{summation}", n)
        values = positive / weight if summation == "out" else weight.log() - positive
        return torch.where(is_anchor, values, 0.0), is_anchor
    over = "negatives" if denominator == "negatives" else "others" if pairs.max_positives is None else "kept"
    if summation == "in":
        log_sum, positive = _sums(pairs, over, "log_sum_exp")
        log_numerator = positive - weight.log()
    elif positive_similarity is None:
        log_sum, positive = _sums(pairs, over, "similarity")
        log_numerator = positive / weight
    else:
        log_sum, _ = _sums(pairs, over, "none")
        log_numerator = positive_similarity / weight
    if denominator == "negatives":
        is_anchor = is_anchor & ~(log_sum <= MASKED / 2)
    return torch.where(is_anchor, log_sum - log_numerator, 0.0), is_anchor


def _class_sums(pairs: Pairs) -> tuple[Tensor, Tensor | None]:
    """[anchor]: |P(i)| or the sum of its weights; and the sum of s_ip over P(i), or None if it needs the pairs."""
    anchors, columns, queue = pairs.anchors, pairs.columns, pairs.queue
    batch, own = columns.table[0].long(), anchors.table[0].long()
    classes = columns.table.shape[1] + (0 if queue is None else queue.table.shape[1])
    slots = anchors.vectors.new_zeros(classes)
    ones = torch.ones_like(columns.table[1])
    counts = slots if pairs.pair_weights is not None else slots.index_add(0, batch, ones)
    if queue is not None:
        queued = queue.table[0].long()
        counts = counts.index_add(0, queued, (queue.table[1] != EMPTY).to(slots.dtype))
    if pairs.pair_weights is not None:
        return counts[own] + _weight_without_itself(pairs), None
    count = counts[own] - 1
    if pairs.max_positives is not None:
        return count.clamp(max=pairs.max_positives), None
    sums = slots[:, None].expand(-1, columns.vectors.shape[1]).index_add(0, batch, columns.vectors)
    if queue is not None:
        sums = sums.index_add(0, queue.table[0].long(), queue.vectors)
    return count, (anchors.vectors * (sums.index_select(0, own) - anchors.vectors)).sum(1)


def _weight_without_itself(pairs: Pairs) -> Tensor:
    assert pairs.pair_weights is not None
    # In float64, since the anchor's own weight may be far larger than all others; Metal has none.
    wide = torch.float32 if pairs.pair_weights.device.type == "mps" else torch.float64
    itself = pairs.pair_weights.gather(1, pairs.anchors.table[1, :, None].long()).squeeze(1)
    weight = pairs.pair_weights.sum(1, dtype=wide) - itself.to(wide)
    return weight.to(pairs.anchors.vectors.dtype)


def _sorted_by_class(pairs: Pairs) -> tuple[Pairs, Tensor]:
    """The pairs with anchors, columns and queue sorted by class, and the new position of each anchor."""
    order = pairs.anchors.table[0].argsort(stable=True)
    anchors = columns = pairs.anchors.take(order)
    if pairs.columns.vectors is not pairs.anchors.vectors:
        columns = pairs.columns.take(pairs.columns.table[0].argsort(stable=True))
    queue = pairs.queue
    queue = None if queue is None else queue.take(queue.table[0].argsort(stable=True))
    return replace(pairs, anchors=anchors, columns=columns, queue=queue), order.argsort()


def _sums(pairs: Pairs, over: str, positive: str, n: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """[anchor]: the log-sum-exp, and the sum over positives."""
    anchors, columns, queue = pairs.anchors, pairs.columns, pairs.queue
    is_symmetric = pairs.pair_weights is None and pairs.max_positives is None and pairs.batch_negatives
    half = anchors.vectors is columns.vectors and is_symmetric and pairs.in_range
    tables = [anchors.table, columns.table] if queue is None else [anchors.table, columns.table, queue.table]
    numbers = Numbers(
        max_positives=-1 if pairs.max_positives is None else pairs.max_positives,
        first=pairs.first,
        step=pairs.step,
        counts_negatives=int(pairs.batch_negatives),
        in_range=int(pairs.in_range),
    )
    try:
        log_sum, positive_sum, _ = pair_sums(
            anchors.vectors,
            None if half else columns.vectors,
            None if queue is None else queue.vectors,
            n,
            pairs.pair_weights,
            tables,
            over,
            positive,
            list(numbers),
            torch.is_grad_enabled() and anchors.vectors.requires_grad,
        )
    except RuntimeError as error:
        if not is_refused_by_torch_func(error):
            raise
        raise RuntimeError(
            "the contrastive losses of more than 2**20 pairs have no torch.func transforms; use autograd, or a "
            "smaller batch."
        ) from error
    return log_sum, positive_sum
