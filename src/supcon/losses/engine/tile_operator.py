"""The sums over tiles as custom operators, so that `torch.compile` and `torch.export` see one operation each."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from supcon.losses.engine.pair_sets import Block, Members
from supcon.losses.engine.product import AUTOCAST_DEVICES, full_precision
from supcon.losses.engine.tile_shapes import tile_shape
from supcon.losses.engine.tile_sums import Task, backward_sums, forward_sums


class Numbers(NamedTuple):
    """The integers of a task."""

    max_positives: int
    """Maximum number of positives; -1: no limit."""
    first: int
    """Row of the first anchor in the batch."""
    step: int
    """Distance between the rows of two anchors."""
    counts_negatives: int
    """1: the batch's negatives are in the denominator."""
    in_range: int
    """1: sums of exponentials need no shift."""


@torch.library.custom_op("supcon::pair_sums", mutates_args=())
def pair_sums(
    anchors: Tensor,
    columns: Tensor | None,
    queue: Tensor | None,
    negatives: Tensor | None,
    pair_weights: Tensor | None,
    tables: Sequence[Tensor],
    over: str,
    positive: str,
    numbers: Sequence[int],
    keep: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """The two sums over each anchor's columns that `Task` describes.

    Args:
        anchors: [anchor, dim].
        columns: [row, dim]; None: the anchors themselves, of whose symmetric matrix half is computed.
        queue: [slot, dim].
        negatives: [anchor], n.
        pair_weights: [anchor, row].
        tables: `Members.table` of anchors, columns and queue.
        over: the columns of the log-sum-exp, as in `Task`.
        positive: the kind of the sum over positives, as in `Task`.
        numbers: the values of `Numbers`.
        keep: whether to keep products for a backward pass.

    Returns:
        [anchor] the log-sum-exp, [anchor] the sum over positives, and the products kept for the backward pass.
    """
    kept = anchors.new_empty(_kept_pairs(anchors, columns, queue, over, keep))
    with full_precision():
        task = _task(anchors, columns, queue, negatives, pair_weights, tables, over, positive, numbers)
        return (*forward_sums(task, kept), kept)


@pair_sums.register_fake
def _(anchors: Tensor, columns: Tensor | None, queue: Tensor | None, *rest: Any) -> tuple[Tensor, Tensor, Tensor]:
    *_, over, _, _, keep = rest
    count, kept = anchors.shape[0], _kept_pairs(anchors, columns, queue, over, keep)
    return anchors.new_empty(count), anchors.new_empty(count), anchors.new_empty(kept)


@torch.library.custom_op("supcon::pair_sums_backward", mutates_args=())
def pair_sums_backward(
    anchors: Tensor,
    columns: Tensor | None,
    queue: Tensor | None,
    negatives: Tensor | None,
    pair_weights: Tensor | None,
    tables: Sequence[Tensor],
    over: str,
    positive: str,
    numbers: Sequence[int],
    saved: Sequence[Tensor],
    gradients: Sequence[Tensor],
    with_queue: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The gradients with respect to anchors, columns, queue and negatives.

    `saved` are the outputs of `pair_sums`, `gradients` the gradients of the first two.
    """
    with full_precision():
        task = _task(anchors, columns, queue, negatives, pair_weights, tables, over, positive, numbers)
        log_sum, positive_sum, kept = saved
        sums = (log_sum, positive_sum)
        return backward_sums(task, kept, sums, (gradients[0], gradients[1]), with_queue=with_queue)


@pair_sums_backward.register_fake
def _(
    anchors: Tensor, columns: Tensor | None, queue: Tensor | None, *rest: Any
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    grad_columns = anchors.new_empty(0) if columns is None else torch.empty_like(columns)
    grad_queue = torch.empty_like(queue) if rest[-1] and queue is not None else anchors.new_empty(0)
    return torch.empty_like(anchors), grad_columns, grad_queue, anchors.new_empty(anchors.shape[0])


def _setup(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor, Tensor]) -> None:
    *tensors, tables, ctx.over, ctx.positive, ctx.numbers, _ = inputs
    ctx.tables = len(tables)
    # A gradient of zeros for the third output would need as much memory as the output itself.
    ctx.set_materialize_grads(False)
    # With save_for_backward, autograd detects tensors that are modified in place before the backward pass.
    ctx.save_for_backward(*tensors, *tables, *output)


def _backward(ctx: Any, *gradients: Tensor | None) -> tuple[Any, ...]:
    anchors, columns, queue, negatives, pair_weights, *rest = ctx.saved_tensors
    tables, saved = rest[: ctx.tables], rest[ctx.tables :]
    grad_sums = [anchors.new_zeros(anchors.shape[0]) if one is None else one for one in gradients[:2]]
    # The queue needs a gradient only if the temperature is learned.
    with_queue = queue is not None and ctx.needs_input_grad[2]
    grad_anchors, grad_columns, grad_queue, grad_negatives = pair_sums_backward(
        anchors,
        columns,
        queue,
        negatives,
        pair_weights,
        tables,
        ctx.over,
        ctx.positive,
        ctx.numbers,
        saved,
        grad_sums,
        with_queue,
    )
    grad_columns = None if columns is None else grad_columns
    grad_queue = grad_queue if with_queue else None
    grad_negatives = None if negatives is None else grad_negatives
    return grad_anchors, grad_columns, grad_queue, grad_negatives, None, [None] * ctx.tables, None, None, None, None


def _refuse(*_: Any) -> None:
    raise RuntimeError(
        "the contrastive losses have a first derivative only for more than 2**20 pairs: their gradients cannot be "
        "differentiated again, as for a gradient penalty or a Hessian; use a smaller batch."
    )


pair_sums.register_autograd(_backward, setup_context=_setup)
pair_sums_backward.register_autograd(_refuse)
for _device in AUTOCAST_DEVICES:
    pair_sums.register_autocast(_device, torch.float32)
    pair_sums_backward.register_autocast(_device, torch.float32)


def _task(
    anchors: Tensor,
    columns: Tensor | None,
    queue: Tensor | None,
    negatives: Tensor | None,
    pair_weights: Tensor | None,
    tables: Sequence[Tensor],
    over: str,
    positive: str,
    numbers: Sequence[int],
) -> Task:
    named = Numbers(*numbers)
    members = Members(anchors, tables[0])
    cap = None if named.max_positives < 0 else named.max_positives
    blocks = [
        Block(
            anchors=members,
            columns=members if columns is None else Members(columns, tables[1]),
            pair_weights=pair_weights,
            max_positives=cap,
            counts_negatives=bool(named.counts_negatives),
        )
    ]
    if queue is not None:
        blocks.append(Block(anchors=members, columns=Members(queue, tables[2]), max_positives=cap, is_queue=True))
    return Task(
        blocks=blocks,
        over=over,
        positive=positive,
        negatives=negatives,
        first=named.first,
        step=named.step,
        half=columns is None,
        in_range=bool(named.in_range),
    )


def _kept_pairs(anchors: Tensor, columns: Tensor | None, queue: Tensor | None, over: str, keep: bool) -> int:
    """Number of products to keep: all, up to the limit of the tile shape; depends on shapes only."""
    if not keep or over == "none":
        return 0
    shape, count = tile_shape(anchors.device), anchors.shape[0]
    batch = _half(count, shape.height) if columns is None else count * columns.shape[0]
    return torch.sym_min(batch + (0 if queue is None else count * queue.shape[0]), shape.kept)  # type: ignore[return-value]


def _half(count: int, height: int) -> int:
    """Number of pairs of half a matrix: for each strip, the square on the diagonal and the columns after it."""
    strips, rest = count // height, count % height
    return strips * height * count - height * height * (strips * (strips - 1) // 2) + rest * rest
