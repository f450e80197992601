"""The tiles as operators of torch.library: `torch.compile` and `torch.export` take each for one operation."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from supcon.losses.engine.pair_sets import Block, Members
from supcon.losses.engine.product import AUTOCAST_DEVICES, full_precision
from supcon.losses.engine.tile_shapes import tile_shape
from supcon.losses.engine.tile_sums import Task, backward_sums, forward_sums


class Numbers(NamedTuple):
    """The whole numbers of a task."""

    most: int
    """The cap; -1: none."""
    first: int
    """The first anchor's row in the batch."""
    step: int
    """From one anchor's row to the next."""
    counts_negatives: int
    """1: the batch's negatives count."""
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
    """Two sums over each anchor's columns, as `Task` says.

    Args:
        anchors: [anchor, dim].
        columns: [row, dim]; None: the anchors with each other, half of the matrix.
        queue: [slot, dim].
        negatives: [anchor], n.
        pair_weights: [anchor, row].
        tables: those of anchors, columns and queue, as in `Members`.
        over: what the log-sum-exp goes over.
        positive: what the sum over positives is.
        numbers: `Numbers`.
        keep: whether there will be a backward pass.

    Returns:
        [anchor] the log-sum-exp, [anchor] the sum over positives, and the products that are kept for backward.
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
    """The gradients with respect to anchors, columns, queue and negatives, from the results and the first two's."""
    with full_precision():
        task = _task(anchors, columns, queue, negatives, pair_weights, tables, over, positive, numbers)
        log_sum, positive_sum, kept = saved
        sums = (log_sum, positive_sum)
        return backward_sums(task, kept, sums, (gradients[0], gradients[1]), with_queue=with_queue)


@pair_sums_backward.register_fake
def _(
    anchors: Tensor, columns: Tensor | None, queue: Tensor | None, *rest: Any
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    of_columns = anchors.new_empty(0) if columns is None else torch.empty_like(columns)
    of_queue = torch.empty_like(queue) if rest[-1] and queue is not None else anchors.new_empty(0)
    return torch.empty_like(anchors), of_columns, of_queue, anchors.new_empty(anchors.shape[0])


def _setup(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor, Tensor]) -> None:
    *tensors, tables, ctx.over, ctx.positive, ctx.numbers, _ = inputs
    ctx.tables = len(tables)
    # Zeros for the third output, which nobody differentiates, would cost as much memory as what is kept.
    ctx.set_materialize_grads(False)
    # Saved and not merely remembered: autograd then notices what was changed in place before backward.
    ctx.save_for_backward(*tensors, *tables, *output)


def _backward(ctx: Any, *gradients: Tensor | None) -> tuple[Any, ...]:
    anchors, columns, queue, negatives, pair_weights, *rest = ctx.saved_tensors
    tables, saved = rest[: ctx.tables], rest[ctx.tables :]
    of_sums = [anchors.new_zeros(anchors.shape[0]) if one is None else one for one in gradients[:2]]
    # Only a learned temperature has a gradient with respect to the queue.
    with_queue = queue is not None and ctx.needs_input_grad[2]
    of_anchors, of_columns, of_queue, of_negatives = pair_sums_backward(
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
        of_sums,
        with_queue,
    )
    of_columns = None if columns is None else of_columns
    of_queue = of_queue if with_queue else None
    of_negatives = None if negatives is None else of_negatives
    return of_anchors, of_columns, of_queue, of_negatives, None, [None] * ctx.tables, None, None, None, None


def _refuse(*_: Any) -> None:
    raise RuntimeError(
        "the contrastive losses of a large batch have a first derivative only: their gradients cannot be "
        "differentiated again, as a gradient penalty or a Hessian would need; up to 2**20 pairs they can."
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
    most, first, step, counts_negatives, in_range = numbers
    members = Members(anchors, tables[0])
    cap = None if most < 0 else most
    blocks = [
        Block(
            anchors=members,
            columns=members if columns is None else Members(columns, tables[1]),
            pair_weights=pair_weights,
            most=cap,
            counts_negatives=bool(counts_negatives),
        )
    ]
    if queue is not None:
        blocks.append(Block(anchors=members, columns=Members(queue, tables[2]), most=cap, is_queue=True))
    return Task(
        blocks=blocks,
        over=over,
        positive=positive,
        negatives=negatives,
        first=first,
        step=step,
        half=columns is None,
        in_range=bool(in_range),
    )


def _kept_pairs(anchors: Tensor, columns: Tensor | None, queue: Tensor | None, over: str, keep: bool) -> int:
    """Room for the products that are kept: all of them, as far as a tile's shape allows; from shapes alone."""
    if not keep or over == "none":
        return 0
    shape, count = tile_shape(anchors.device), anchors.shape[0]
    batch = _half(count, shape.height) if columns is None else count * columns.shape[0]
    return torch.sym_min(batch + (0 if queue is None else count * queue.shape[0]), shape.kept)  # type: ignore[return-value]


def _half(count: int, height: int) -> int:
    """The pairs of half a matrix: every strip of rows from its square on the diagonal on."""
    strips, rest = count // height, count % height
    return strips * height * count - height * height * (strips * (strips - 1) // 2) + rest * rest
