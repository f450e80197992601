"""The rows that anchors are contrasted with, in the precision and on the sphere that the loss works in."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from supcon.losses.rows import Rows, tell_apart
from supcon.losses.tiles import EXPONENT_RANGE
from supcon.losses.unit_norm import unit_norm

if TYPE_CHECKING:
    from supcon.losses.memory_queue import MemoryQueue


def make_sources(
    batch: Rows, queue: "MemoryQueue | None", *, temperature: float, normalize: bool
) -> tuple[list[Rows], bool]:
    """The batch's rows, then the queue's if it holds any; and whether |row . row| / temperature is in range for all."""
    sources = [tell_apart(batch)]
    if queue is not None and len(queue):
        past = _queue_rows(queue, batch)
        # The queue may be written to before the backward pass; normalising makes a copy anyway.
        past = past if normalize else past._replace(projections=past.projections.clone())
        sources.append(tell_apart(past, first_image=len(batch.label) // batch.views))
    exponent = (1.0 if normalize else _largest(sources)) / temperature
    dtype = _working_dtype(batch.projections.dtype, exponent)
    sources = [rows._replace(projections=_place(rows.projections, dtype, normalize)) for rows in sources]
    return sources, exponent <= EXPONENT_RANGE[dtype]


def _queue_rows(queue: "MemoryQueue", batch: Rows) -> Rows:
    projections, labels = queue.stored()
    if projections.shape[1] != batch.projections.shape[1]:
        raise ValueError(
            f"queue must hold projections of the batch's dim {batch.projections.shape[1]}, got {projections.shape[1]}; "
            "make it with MemoryQueue(size, dim)."
        )
    device = batch.projections.device
    return Rows(projections.to(device), labels.to(device), views=1, all_labelled=False)


def _largest(sources: list[Rows]) -> float:
    norms = [float(rows.projections.detach().norm(dim=1).amax()) for rows in sources if len(rows.label)]
    return norms[0] * max(norms) if norms else 0.0


def _working_dtype(dtype: torch.dtype, exponent: float) -> torch.dtype:
    # An exponent of 36 leaves float32 five digits of the exponential; beyond, twice the bits cost less than the digits.
    return torch.float64 if dtype == torch.float64 or exponent > EXPONENT_RANGE[torch.float32] else torch.float32


def _place(projections: Tensor, dtype: torch.dtype, normalize: bool) -> Tensor:
    projections = projections.to(dtype)
    return unit_norm(projections) if normalize else projections
