"""Reduces the losses of rows to the returned value."""

import warnings
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from supcon.losses.inputs import gathering
from supcon.losses.inputs.flat_rows import can_look_at
from supcon.losses.inputs.gathering import Group

Reduction = Literal["mean", "sum", "none"]
REDUCTIONS = ("mean", "sum", "none")


class RowLosses(NamedTuple):
    """The loss of every row of this process's batch."""

    values: Tensor
    """[row]: 0 where the row is not an anchor."""
    anchors: Tensor
    """[row]: True where the row is an anchor that has a positive."""


def reduce_rows(
    losses: RowLosses, reduction: Reduction, *, gather_distributed: bool, process_group: Group = None
) -> Tensor:
    """The mean over anchors, the sum, or the values themselves; over the anchors of all processes if gathered."""
    value, count = losses.values.sum(), losses.anchors.sum()
    if gather_distributed and gathering.has_other_processes(process_group):
        value, count = gathering.total(torch.stack([value, count.to(value.dtype)]), process_group).unbind()
    # Not on a GPU, which would have to synchronize, nor in a compiled graph.
    if can_look_at(count) and not bool(count):
        warnings.warn(
            "no row has a positive, so the loss and its gradient are 0: give at least two views of each image, or "
            "batches with several images of a class.",
            stacklevel=4,
        )
    if reduction == "none":
        return losses.values
    return value if reduction == "sum" else value / count.clamp(min=1)
