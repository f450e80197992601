"""Flattens the caller's projections and labels to rows, and checks them."""

from typing import NamedTuple

import torch
from torch import Tensor


class FlatRows(NamedTuple):
    """The rows of a multiviewed batch; the views of an image are adjacent."""

    projections: Tensor
    """[row, dim]"""
    label: Tensor
    """[row]: the class; -1 for unlabelled."""
    views: int
    all_labelled: bool = False
    """True if it is known that no row is unlabelled."""

    def images(self) -> Tensor:
        """[row]: index of its image. A method, because torch.compile of torch 2.7 cannot trace a property here."""
        return torch.arange(self.label.shape[0], device=self.label.device) // self.views

    def classes(self, first_image: int = 0) -> Tensor:
        """[row]: the label; every unlabelled image is its own class, -1 - its index, counted from `first_image`."""
        if self.all_labelled:
            return self.label
        return torch.where(self.label == -1, -1 - first_image - self.images(), self.label)


def flatten(projections: Tensor, labels: Tensor | None) -> FlatRows:
    """Flattens [batch, view, dim] with labels [batch] or None, or [row, dim] with labels [row] or None.

    Raises:
        ValueError: if a shape, a dtype or a label is wrong.
    """
    _check_projections(projections)
    batch, views = projections.shape[0], projections.shape[1] if projections.ndim == 3 else 1
    if labels is None:
        label, all_labelled = torch.full((batch,), -1, device=projections.device), False
    else:
        all_labelled = _check_labels(labels, projections)
        label = labels.to(projections.device, torch.int64)
    label = label if views == 1 else label.repeat_interleave(views)
    return FlatRows(projections.reshape(-1, projections.shape[-1]), label, views, all_labelled)


def can_look_at(values: Tensor) -> bool:
    """Whether values can be read at once: not on a GPU, which would have to synchronize, nor in a compiled graph.

    Values that cannot be read are checked by `assert_later`.
    """
    return values.device.type == "cpu" and not torch.compiler.is_compiling()


def assert_later(is_right: Tensor, sentence: str) -> None:
    """Checks a condition on the device, without a synchronization; not available on Metal, where nothing is checked."""
    if is_right.device.type != "mps":
        torch._assert_async(is_right, sentence)


def _check_projections(projections: Tensor) -> None:
    if not isinstance(projections, Tensor) or not projections.is_floating_point():
        raise ValueError(f"projections must be a floating-point tensor, got {_kind(projections)}.")
    if projections.ndim not in (2, 3) or 0 in projections.shape[1:]:
        raise ValueError(
            "projections must have shape [batch, view, dim] or [row, dim] with at least one view and dimension, "
            f"got {list(projections.shape)}."
        )


def _check_labels(labels: Tensor, projections: Tensor) -> bool:
    """Checks the labels; returns True if it is known that none is -1."""
    batch = projections.shape[0]
    if not isinstance(labels, Tensor):
        raise ValueError(f"labels must be a tensor of whole numbers, got {_kind(labels)}; give torch.tensor(labels).")
    if labels.shape != (batch,):
        raise ValueError(
            f"labels must have shape [{batch}], one class for each of the projections' first axis, "
            f"got {list(labels.shape)}; {_shape_advice(labels, projections)}."
        )
    if labels.dtype not in _WHOLE_NUMBERS:
        raise ValueError(f"labels must be a tensor of whole numbers, got {labels.dtype}; give labels.long().")
    if batch and not can_look_at(labels):
        assert_later(labels.min() >= -1, "labels must be classes from 0 up, or -1 for unlabelled.")
    lowest = int(labels.min()) if batch and can_look_at(labels) else -1
    if lowest < -1:
        raise ValueError(f"labels must be classes from 0 up, or -1 for unlabelled, got {lowest}.")
    return lowest >= 0


def _shape_advice(labels: Tensor, projections: Tensor) -> str:
    """What to do about labels of a wrong shape, by what other packages accept."""
    batch, count = projections.shape[0], labels.numel()
    if labels.ndim != 1:
        if count == batch:
            return "give labels.flatten()"
        return (
            "give labels.argmax(1) if every row has one class, or pair_weights=jaccard_weights(labels) for several each"
        )
    views, rest = divmod(batch, max(count, 1))
    if projections.ndim == 2 and views > 1 and rest == 0:
        return (
            f"give labels.repeat({views}) if the rows are all first views, then all second views, and so on, or give "
            "projections of shape [batch, view, dim]"
        )
    if projections.ndim == 3 and count == projections.shape[1]:
        return "give projections.transpose(0, 1) if their first axis is the view"
    return "give one label for each image, not for each view" if projections.ndim == 3 else "give one for each row"


_WHOLE_NUMBERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def _kind(value: object) -> str:
    return str(value.dtype) if isinstance(value, Tensor) else type(value).__name__
