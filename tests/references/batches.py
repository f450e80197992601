"""Multiviewed batches as the losses take them, and as plain lists for the loops."""

from typing import NamedTuple

import torch
from torch import Tensor


class Batch(NamedTuple):
    """Random projections with labels."""

    projections: Tensor
    """[batch, view, dim], float64, not of unit norm, requires a gradient."""
    labels: Tensor
    """[batch]"""
    row_labels: list[int]
    row_images: list[int]

    @property
    def rows(self) -> list[Tensor]:
        """The projections row by row, part of the same graph."""
        return list(self.projections.flatten(0, 1))


def make_batch(labels: list[int], views: int, dim: int = 5, seed: int = 0) -> Batch:
    """A batch with these labels."""
    generator = torch.Generator().manual_seed(seed)
    projections = torch.randn(len(labels), views, dim, dtype=torch.float64, generator=generator)
    row_labels = [label for label in labels for _ in range(views)]
    row_images = [image for image in range(len(labels)) for _ in range(views)]
    return Batch(projections.requires_grad_(), torch.tensor(labels), row_labels, row_images)
