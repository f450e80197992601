"""From what a caller gives to rows: projections flattened, labels checked, every row with its class and its image."""

from typing import NamedTuple

import torch
from torch import Tensor


class Rows(NamedTuple):
    """Rows that belong to classes and to images; the views of an image stand side by side."""

    projections: Tensor
    """[row, dim]"""
    label: Tensor
    """[row]: the class; an unlabelled image is a class of its own, with a negative number."""
    image: Tensor
    """[row]: which image the row is a view of."""


class FlatBatch(NamedTuple):
    """A multiviewed batch laid out as rows, labels as given."""

    projections: Tensor
    """[row, dim]"""
    label: Tensor
    """[row]: the class, -1 for unlabelled."""
    views: int


def flatten(projections: Tensor, labels: Tensor | None) -> FlatBatch:
    """Lay out [batch, view, dim] with labels [batch] or None, or [row, dim] with labels [row] or None.

    Raises:
        ValueError: if a shape, a dtype or a label is not so.
    """
    _check_projections(projections)
    batch, views = projections.shape[0], projections.shape[1] if projections.ndim == 3 else 1
    if labels is None:
        label = torch.full((batch,), -1, device=projections.device)
    else:
        _check_labels(labels, batch)
        label = labels.to(projections.device, torch.int64)
    return FlatBatch(projections.reshape(-1, projections.shape[-1]), label.repeat_interleave(views), views)


def number(batch: FlatBatch, first_image: int = 0) -> Rows:
    """Give every row its image, counted from `first_image`, and every unlabelled image a class of its own."""
    row = torch.arange(len(batch.label), device=batch.label.device)
    image = first_image + row // batch.views
    return Rows(batch.projections, torch.where(batch.label == -1, -1 - image, batch.label), image)


def _check_projections(projections: Tensor) -> None:
    if not isinstance(projections, Tensor) or not projections.is_floating_point():
        raise ValueError(f"projections must be a floating-point tensor, got {_kind(projections)}.")
    if projections.ndim not in (2, 3) or projections.shape[-1] == 0 or 0 in projections.shape[1:]:
        raise ValueError(
            "projections must have shape [batch, view, dim] or [row, dim] with at least one view and dimension, "
            f"got {list(projections.shape)}."
        )


def _check_labels(labels: Tensor, batch: int) -> None:
    if not isinstance(labels, Tensor) or labels.dtype not in _WHOLE_NUMBERS:
        raise ValueError(f"labels must be a tensor of whole numbers, got {_kind(labels)}.")
    if labels.shape != (batch,):
        raise ValueError(
            f"labels must have shape [{batch}], one class for each of the projections' first axis, "
            f"got {list(labels.shape)}; for several classes each, give pair_weights=jaccard_weights(...)."
        )
    if bool((labels < -1).any()):
        raise ValueError(f"labels must be classes from 0 up, or -1 for unlabelled, got {int(labels.min())}.")


_WHOLE_NUMBERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def _kind(value: object) -> str:
    return str(value.dtype) if isinstance(value, Tensor) else type(value).__name__
