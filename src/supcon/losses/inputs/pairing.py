"""Makes the pairs of a batch: scales the rows, selects the anchors, adds the queue."""

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
"""Devices on which float64 is used if float32 is not precise enough."""

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
    """The pairs of every `step`-th row of this process, as anchors, with all rows and the rows of the queue."""
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
        max_positives=max_positives,
        batch_negatives=queue is None or not queue.replaces_batch_negatives,
        in_range=in_range,
    )


def scaled_rows(flat: FlatRows, temperature: float | Tensor, normalize: bool) -> Tensor:
    """[row, dim]: z / sqrt(tau), in the precision in which the losses are computed."""
    dtype, _ = _working_precision(flat, None, temperature, normalize)
    return _scaled(flat.projections, dtype, temperature, normalize)


def _scaled(projections: Tensor, dtype: torch.dtype, temperature: float | Tensor, normalize: bool) -> Tensor:
    """z / sqrt(tau): the product of two rows is s, and a learned temperature gets its gradient."""
    projections = projections.to(dtype)
    scale = temperature**-0.5
    scale = scale.to(projections) if isinstance(scale, Tensor) else scale
    return (unit_norm(projections) if normalize else projections) * scale


_Past = tuple[FlatRows, Tensor | None]
"""Rows of the queue, and a mask of its filled slots; None: all are filled."""


def _past_rows(queue: "MemoryQueue") -> _Past:
    projections, labels, is_filled = queue.stored()
    return FlatRows(projections, labels, views=1), is_filled


def _tables(
    flat: FlatRows, past: _Past | None, dtype: torch.dtype, *, capped: bool, generator: torch.Generator | None
) -> list[Tensor]:
    """`Members.table` of the batch's rows and of the queue's."""
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
        image = flat.images() if past is None else torch.cat([flat.images(), torch.arange(rows, images, device=device)])
        order = draw_class_order(number, image, generator, images=images)
        known += [order.begin, order.size, order.position]
    return list(torch.stack(known).to(dtype).split_with_sizes(sizes, 1))


def _past_labels(past: _Past, first_image: int) -> tuple[Tensor, Tensor]:
    """[slot]: the class of each slot of the queue, and its row number: QUEUED or EMPTY."""
    flat, is_filled = past
    row = torch.full_like(flat.label, QUEUED)
    if is_filled is None:
        return flat.classes(first_image), row
    flat = FlatRows(flat.projections, flat.label.masked_fill(~is_filled, -1), views=1)
    return flat.classes(first_image), row.masked_fill(~is_filled, EMPTY)


def _working_precision(
    flat: FlatRows, past: _Past | None, temperature: float | Tensor, normalize: bool
) -> tuple[torch.dtype, bool]:
    """The dtype to compute in, and whether every |s| is within its `EXPONENT_RANGE`.

    At |s| = 36, float32 has five exact digits of the exponential. Above, or if the largest |s| is not known, float64
    is used on a CPU; on a GPU, where float64 is up to 64 times slower, float32 with shifted exponents.
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
    """An upper bound of |row . row|."""
    every = [flat.projections] if past is None else [flat.projections, past[0].projections]
    norms = [float(rows.norm(dim=1).amax()) for rows in every if rows.shape[0]]
    return 1.0 if normalize else norms[0] * max(norms) if norms else 0.0
