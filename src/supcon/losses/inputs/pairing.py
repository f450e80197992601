"""From a batch to its pairs: rows scaled to unit norm and temperature, anchors chosen, the queue beside the batch."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from supcon.losses.engine.pair_sets import EMPTY, QUEUED, Members, Pairs
from supcon.losses.engine.tile_shapes import EXPONENT_RANGE
from supcon.losses.inputs.class_order import class_numbers, draw_class_order
from supcon.losses.inputs.flat_rows import FlatRows, can_look_at
from supcon.losses.inputs.loss_batch import LossBatch
from supcon.losses.inputs.unit_norm import unit_norm

WIDE_DEVICES = ("cpu",)
"""Where float64 takes over when float32 would lose digits."""

if TYPE_CHECKING:
    from supcon.losses.memory_queue import MemoryQueue


def make_pairs(
    batch: LossBatch,
    *,
    temperature: float | Tensor,
    normalize: bool,
    step: int = 1,
    queue: "MemoryQueue | None" = None,
    pair_weights: Tensor | None = None,
    max_positives: int | None = None,
    generator: torch.Generator | None = None,
) -> Pairs:
    """Every `step`-th row of this process as an anchor, against all rows and the queue's."""
    device = batch.flat.projections.device
    past = None if queue is None else _past_rows(queue)
    dtype, in_range = _working_precision(batch.flat, past, temperature, normalize)
    tables = _tables(batch.flat, past, dtype, capped=max_positives is not None, generator=generator)
    columns = Members(_scaled(batch.flat.projections, dtype, temperature, normalize), tables[0])
    anchors = columns
    if step > 1 or batch.shared:
        anchors = columns.take(torch.arange(batch.first, batch.first + batch.count, step, device=device))
    if pair_weights is not None:
        pair_weights = pair_weights.to(device)[::step]
    queued = None
    if past is not None:
        queued = Members(_scaled(past[0].projections.detach(), dtype, temperature, normalize), tables[1])
    return Pairs(
        anchors=anchors,
        columns=columns,
        queue=queued,
        first=batch.first,
        step=step,
        pair_weights=pair_weights,
        most=max_positives,
        batch_negatives=queue is None or not queue.replaces_batch_negatives,
        in_range=in_range,
    )


def scaled_rows(flat: FlatRows, temperature: float | Tensor, normalize: bool) -> Tensor:
    """[row, dim]: z / sqrt(tau), in the precision that the losses work in."""
    dtype, _ = _working_precision(flat, None, temperature, normalize)
    return _scaled(flat.projections, dtype, temperature, normalize)


def _scaled(projections: Tensor, dtype: torch.dtype, temperature: float | Tensor, normalize: bool) -> Tensor:
    """z / sqrt(tau): a product of two is the similarity, and a learned temperature gets its gradient."""
    projections = projections.to(dtype)
    scale = temperature**-0.5
    scale = scale.to(projections) if isinstance(scale, Tensor) else scale
    return (unit_norm(projections) if normalize else projections) * scale


_Past = tuple[FlatRows, Tensor | None]
"""Rows of the queue, and which of its slots are filled; None: all."""


def _past_rows(queue: "MemoryQueue") -> _Past:
    projections, labels, is_filled = queue.stored()
    return FlatRows(projections, labels, views=1), is_filled


def _tables(
    flat: FlatRows, past: _Past | None, dtype: torch.dtype, *, capped: bool, generator: torch.Generator | None
) -> list[Tensor]:
    """What `Members` has to know of the batch's rows, and of the queue's."""
    rows, device = flat.label.shape[0], flat.label.device
    label, row, sizes = flat.classes(), torch.arange(rows, device=device), [rows]
    images = rows // flat.views
    if past is not None:
        past_label, past_row = _past_labels(past, first_image=images)
        images, sizes = rows + past_row.shape[0], [rows, past_row.shape[0]]
        label, row = torch.cat([label, past_label]), torch.cat([row, past_row])
    number = class_numbers(label)
    known = [number, row]
    if capped:
        image = flat.image if past is None else torch.cat([flat.image, torch.arange(rows, images, device=device)])
        order = draw_class_order(number, image, generator, images=images)
        known += [order.begin, order.size, order.position]
    return list(torch.stack(known).to(dtype).split_with_sizes(sizes, 1))


def _past_labels(past: _Past, first_image: int) -> tuple[Tensor, Tensor]:
    """[slot]: the class of a row of the queue, and the number that stands for its row in the batch."""
    flat, is_filled = past
    row = torch.full_like(flat.label, QUEUED)
    if is_filled is None:
        return flat.classes(first_image), row
    flat = flat._replace(label=flat.label.masked_fill(~is_filled, -1))
    return flat.classes(first_image), row.masked_fill(~is_filled, EMPTY)


def _working_precision(
    flat: FlatRows, past: _Past | None, temperature: float | Tensor, normalize: bool
) -> tuple[torch.dtype, bool]:
    """The dtype to work in, and whether every |s| is within `EXPONENT_RANGE` of it.

    An |s| of 36 leaves float32 five digits of the exponential. Beyond, or where the host does not know the largest,
    a CPU takes float64; a GPU, where float64 is up to 64 times as slow, stays with float32 and shifts its exponents.
    """
    dtype = flat.projections.dtype
    if normalize and not isinstance(temperature, Tensor):
        largest: float | None = 1 / temperature
    elif can_look_at(flat.projections):
        tau = float(temperature.detach() if isinstance(temperature, Tensor) else temperature)
        largest = _largest(flat, past, normalize) / tau
    else:
        largest = None
    if flat.projections.device.type in WIDE_DEVICES and (
        largest is None or not largest <= EXPONENT_RANGE[torch.float32]
    ):
        dtype = torch.float64
    return dtype, largest is not None and largest <= EXPONENT_RANGE[dtype]


@torch.no_grad()
def _largest(flat: FlatRows, past: _Past | None, normalize: bool) -> float:
    """No |row . row| is above this."""
    every = [flat.projections] if past is None else [flat.projections, past[0].projections]
    norms = [float(rows.norm(dim=1).amax()) for rows in every if rows.shape[0]]
    return 1.0 if normalize else norms[0] * max(norms) if norms else 0.0
