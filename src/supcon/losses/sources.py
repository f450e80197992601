"""The rows that anchors are contrasted with, in the precision and on the sphere that the loss works in."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from supcon.losses.log_sum_exp import EXPONENT_RANGE
from supcon.losses.rows import FlatBatch, Rows, number
from supcon.losses.unit_norm import unit_norm

if TYPE_CHECKING:
    from supcon.losses.memory_queue import MemoryQueue


def make_sources(
    batch: FlatBatch, queue: "MemoryQueue | None", *, temperature: float, normalize: bool
) -> tuple[list[Rows], float]:
    """The batch's rows, then the queue's if it holds any, and a bound of |row . row|."""
    sources = [number(batch)]
    if queue is not None and len(queue) > 0:
        sources.append(number(_queue_batch(queue, batch), first_image=len(batch.label) // batch.views))
    largest = 1.0 if normalize else _largest(sources)
    dtype = _working_dtype(batch.projections.dtype, largest / temperature)
    return [rows._replace(projections=_place(rows.projections, dtype, normalize)) for rows in sources], largest


def _queue_batch(queue: "MemoryQueue", batch: FlatBatch) -> FlatBatch:
    projections, labels = queue.contents()
    if projections.shape[1] != batch.projections.shape[1]:
        raise ValueError(
            f"queue must hold projections of the batch's dim {batch.projections.shape[1]}, got {projections.shape[1]}; "
            "make it with MemoryQueue(size, dim)."
        )
    device = batch.projections.device
    return FlatBatch(projections.to(device), labels.to(device), views=1)


def _largest(sources: list[Rows]) -> float:
    norms = torch.stack([rows.projections.detach().norm(dim=1).amax() for rows in sources if len(rows.label)])
    return float(norms[0] * norms.amax())


def _working_dtype(dtype: torch.dtype, exponent: float) -> torch.dtype:
    # An exponent of 50 leaves float32 five digits of the exponential; beyond, twice the bits cost less than the digits.
    return torch.float64 if dtype == torch.float64 or exponent > EXPONENT_RANGE[torch.float32] else torch.float32


def _place(projections: Tensor, dtype: torch.dtype, normalize: bool) -> Tensor:
    projections = projections.to(dtype)
    return unit_norm(projections) if normalize else projections
