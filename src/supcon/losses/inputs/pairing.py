"""From a batch to its pairs: rows scaled to unit norm and temperature, anchors chosen, the queue beside the batch."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from supcon.losses.engine.pair_sets import EMPTY, QUEUED, Members, Pairs
from supcon.losses.engine.tile_shapes import EXPONENT_RANGE
from supcon.losses.inputs.class_order import draw_class_order
from supcon.losses.inputs.flat_rows import FlatRows
from supcon.losses.inputs.loss_batch import LossBatch

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
    rows, device = batch.flat.projections.shape[0], batch.flat.projections.device
    past = None if queue is None else _past_rows(queue)
    dtype, in_range = _working_precision(batch.flat, past, temperature, normalize)
    images = rows // batch.flat.views
    table = torch.stack([batch.flat.classes(), torch.arange(rows, device=device)])
    past_table = None if past is None else _past_table(past, images)
    if max_positives is not None:
        table, past_table = _with_order(batch.flat, table, past_table, generator)
    columns = Members(_scaled(batch.flat.projections, dtype, temperature, normalize), table)
    anchors = columns
    if step > 1 or batch.shared:
        anchors = columns.take(torch.arange(batch.first, batch.first + batch.count, step, device=device))
    if pair_weights is not None:
        pair_weights = pair_weights.to(device)[::step]
    queued = None
    if past is not None and past_table is not None:
        queued = Members(_scaled(past[0].projections.detach(), dtype, temperature, normalize), past_table)
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
    if not normalize:
        return projections * scale
    norm = torch.linalg.vector_norm(projections, dim=1, keepdim=True).clamp(min=1e-12)
    return projections * (scale / norm)


_Past = tuple[FlatRows, Tensor | None]
"""Rows of the queue, and which of its slots are filled; None: all."""


def _past_rows(queue: "MemoryQueue") -> _Past:
    projections, labels, is_filled = queue.stored()
    return FlatRows(projections, labels, views=1), is_filled


def _past_table(past: _Past, first_image: int) -> Tensor:
    flat, is_filled = past
    row = torch.full_like(flat.label, QUEUED)
    row = row if is_filled is None else row.masked_fill(~is_filled, EMPTY)
    label = flat.label if is_filled is None else flat.label.masked_fill(~is_filled, -1)
    return torch.stack([flat._replace(label=label).classes(first_image), row])


def _with_order(
    flat: FlatRows, table: Tensor, past_table: Tensor | None, generator: torch.Generator | None
) -> tuple[Tensor, Tensor | None]:
    """The tables with the random order of classes that a cap needs; it goes through batch and queue."""
    rows, images = flat.label.shape[0], flat.label.shape[0] // flat.views
    label, image = table[0], flat.image
    if past_table is not None:
        slots = past_table.shape[1]
        label = torch.cat([label, past_table[0]])
        image = torch.cat([image, torch.arange(images, images + slots, device=image.device)])
        images += slots
    order = draw_class_order(label, image, generator, images=images)
    known = torch.stack([order.begin, order.size, order.position])
    past_table = None if past_table is None else torch.cat([past_table, known[:, rows:]])
    return torch.cat([table, known[:, :rows]]), past_table


def _working_precision(
    flat: FlatRows, past: _Past | None, temperature: float | Tensor, normalize: bool
) -> tuple[torch.dtype, bool]:
    """The dtype to work in, and whether every |s| is within `EXPONENT_RANGE` of it.

    An |s| of 36 leaves float32 five digits of the exponential. Beyond, or where the host does not know the largest,
    a CPU takes float64; a GPU, where float64 is up to 64 times as slow, stays with float32 and shifts its exponents.
    """
    dtype, on_cpu = flat.projections.dtype, flat.projections.device.type == "cpu"
    if normalize and not isinstance(temperature, Tensor):
        largest: float | None = 1 / temperature
    elif on_cpu and not torch.compiler.is_compiling():
        largest = _largest(flat, past, normalize) / float(temperature)
    else:
        largest = None
    if on_cpu and (largest is None or not largest <= EXPONENT_RANGE[torch.float32]):
        dtype = torch.float64
    return dtype, largest is not None and largest <= EXPONENT_RANGE[dtype]


@torch.no_grad()
def _largest(flat: FlatRows, past: _Past | None, normalize: bool) -> float:
    """No |row . row| is above this."""
    every = [flat.projections] if past is None else [flat.projections, past[0].projections]
    norms = [float(rows.norm(dim=1).amax()) for rows in every if rows.shape[0]]
    return 1.0 if normalize else norms[0] * max(norms) if norms else 0.0
