"""Applies different functions to groups of images of a batch."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

Change = Callable[[Tensor, Tensor], Tensor]
"""Takes some images of a batch and their row indices, returns them changed; may write into its input."""


def change_groups(images: Tensor, keys: Tensor, changes: Sequence[tuple[int, Change]]) -> Tensor:
    """Applies to each group of images its function; the other images stay unchanged.

    Each function comes with the end (exclusive) of its range of keys: the first gets the keys from 0 to its end, the
    next those from there to its own end. The batch is sorted by key and back, which is several times faster than
    writing scattered rows.
    """
    order = keys.argsort(stable=True)
    ends = torch.searchsorted(keys[order], torch.tensor([end for end, _ in changes])).tolist()
    if ends[-1] == 0:
        return images
    moved = images.index_select(0, order.to(images.device))
    for start, end, (_, change) in zip([0, *ends], ends, changes, strict=False):
        if start < end:
            moved[start:end] = change(moved[start:end], order[start:end])
    return moved.index_select(0, order.argsort().to(images.device))


def change_rows(images: Tensor, active: Tensor, change: Change) -> Tensor:
    """Applies `change` to the images whose `active` is true."""
    return change_groups(images, (~active).to(torch.int64), [(1, change)])
