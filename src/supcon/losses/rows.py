"""From what a caller gives to rows: projections flattened, labels checked, every row with its class and its image."""

from typing import NamedTuple

import torch
from torch import Tensor

EXACT_LABELS = 2**24
"""Labels below this are told apart as float32."""


class Rows(NamedTuple):
    """The rows of a multiviewed batch, image after image, each image with its views side by side."""

    projections: Tensor
    """[row, dim]"""
    label: Tensor
    """[row]: the class; -1 for unlabelled, or a negative number of its own for every unlabelled image."""
    views: int
    all_labelled: bool
    """Known to have no unlabelled row."""

    @property
    def image(self) -> Tensor:
        """[row]: which image the row is a view of."""
        return torch.arange(len(self.label), device=self.label.device) // self.views


def flatten(projections: Tensor, labels: Tensor | None) -> Rows:
    """Lay out [batch, view, dim] with labels [batch] or None, or [row, dim] with labels [row] or None.

    Raises:
        ValueError: if a shape, a dtype or a label is not so.
    """
    _check_projections(projections)
    batch, views = projections.shape[0], projections.shape[1] if projections.ndim == 3 else 1
    if labels is None:
        label, lowest = torch.full((batch,), -1, device=projections.device), -1
    else:
        lowest = _check_labels(labels, batch)
        label = labels.to(projections.device, torch.int64)
    label = label if views == 1 else label.repeat_interleave(views)
    return Rows(projections.reshape(-1, projections.shape[-1]), label, views, all_labelled=lowest >= 0)


def tell_apart(rows: Rows, first_image: int = 0) -> Rows:
    """Make every unlabelled image a class of its own: minus its number, counted from `first_image`, minus 1."""
    if rows.all_labelled:
        return rows
    return rows._replace(label=torch.where(rows.label == -1, -1 - first_image - rows.image, rows.label))


def _check_projections(projections: Tensor) -> None:
    if not isinstance(projections, Tensor) or not projections.is_floating_point():
        raise ValueError(f"projections must be a floating-point tensor, got {_kind(projections)}.")
    if projections.ndim not in (2, 3) or 0 in projections.shape[1:]:
        raise ValueError(
            "projections must have shape [batch, view, dim] or [row, dim] with at least one view and dimension, "
            f"got {list(projections.shape)}."
        )


def _check_labels(labels: Tensor, batch: int) -> int:
    """Refuse what are no labels; give the lowest."""
    if not isinstance(labels, Tensor) or labels.dtype not in _WHOLE_NUMBERS:
        raise ValueError(f"labels must be a tensor of whole numbers, got {_kind(labels)}.")
    if labels.shape != (batch,):
        raise ValueError(
            f"labels must have shape [{batch}], one class for each of the projections' first axis, "
            f"got {list(labels.shape)}; for several classes each, give pair_weights=jaccard_weights(...)."
        )
    lowest = int(labels.min()) if batch else 0
    if lowest < -1:
        raise ValueError(f"labels must be classes from 0 up, or -1 for unlabelled, got {lowest}.")
    return lowest


_WHOLE_NUMBERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def _kind(value: object) -> str:
    return str(value.dtype) if isinstance(value, Tensor) else type(value).__name__
