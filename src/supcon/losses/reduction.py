"""From one value per row to what a loss returns."""

import warnings
from typing import Literal, NamedTuple

from torch import Tensor

from supcon.losses import distributed

Reduction = Literal["mean", "sum", "none"]


class RowLosses(NamedTuple):
    """The loss of every row of this process's batch."""

    values: Tensor
    """[row]: 0 where the row is no anchor."""
    anchors: Tensor
    """[row]: True where the row is an anchor that has a positive."""


def reduce_rows(losses: RowLosses, reduction: Reduction, *, gather_distributed: bool) -> Tensor:
    """Reduce to the mean over anchors, the sum, or not at all; over the anchors of all processes if gathered."""
    value, count = losses.values.sum(), losses.anchors.sum()
    if gather_distributed and distributed.is_distributed():
        value, count = distributed.total(value), distributed.total(count)
    anchors = int(count)
    if anchors == 0:
        warnings.warn(
            "no row has a positive, so the loss is 0 and teaches nothing: give at least two views of each image, or "
            "batches with several images of a class.",
            stacklevel=4,
        )
    if reduction == "none":
        return losses.values
    return value if reduction == "sum" else value / max(anchors, 1)
