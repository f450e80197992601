"""How the matrix of anchors and columns is divided into tiles.

A tile is discarded after use, except the first few, which are kept for the backward pass; of the others only sums per
row are kept. Therefore memory is linear in the number of rows.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from supcon.losses.engine.pair_sets import Block

EXPONENT_RANGE = {torch.float32: 36.0, torch.float64: 300.0}
"""Up to this |s|, sums of exponentials and their ratios neither overflow nor underflow without a shift."""

HOST_KNOWS_CLASSES = ("cpu",)
"""Devices whose values can be read without a synchronization."""

Span = tuple[int, int]
"""A range of columns: the first, and one after the last."""


class TileShape(NamedTuple):
    """Maximum number of anchors and columns of a tile, and of pairs that are kept for the backward pass."""

    height: int
    width: int
    kept: int


CPU_TILE = TileShape(512, 1024, 2**23)
"""A tile of 2 MB of float32 fits into the cache: the fastest of the measured sizes. 32 MB are kept."""

GPU_TILE = TileShape(4096, 4096, 2**26)
"""A GPU is faster with few large products: 64 MB per tile, 256 MB kept. Not measured; see docs/losses.md."""


class Tile(NamedTuple):
    """Some anchors against some columns."""

    anchors: slice
    columns: slice
    near: slice | None
    """The columns that need masks: those that may be the anchor itself, a positive, or excluded from a sum."""

    @property
    def inside(self) -> slice:
        """The near columns, as a slice of the tile."""
        assert self.near is not None
        return slice(self.near.start - self.columns.start, self.near.stop - self.columns.start)


def tile_shape(device: torch.device) -> TileShape:
    """The tile shape for a device."""
    return CPU_TILE if device.type == "cpu" else GPU_TILE


def tiles(block: Block, spans: list[Span], shape: TileShape, *, half: bool, near_only: bool) -> Iterator[Tile]:
    """The tiles of a block, one strip of anchors after the other.

    Args:
        block: anchors and columns.
        spans: for each strip, the columns that need masks.
        shape: maximum size of a tile.
        half: whether anchors and columns are the same rows; then only the squares on the diagonal and the tiles to the
            right of them are returned.
        near_only: whether to skip tiles without a near column.
    """
    anchors, columns = block.anchors.table.shape[1], block.columns.table.shape[1]
    for start, span in zip(range(0, anchors, shape.height), spans, strict=True):
        strip = slice(start, min(start + shape.height, anchors))
        first, last = span if near_only else (0, columns)
        parts = [strip, *_parts(strip.stop, last, shape.width)] if half else _parts(first, last, shape.width)
        for part in parts:
            near = max(span[0], part.start), min(span[1], part.stop)
            yield Tile(strip, part, slice(*near) if near[0] < near[1] else None)


def _parts(first: int, last: int, width: int) -> list[slice]:
    return [slice(start, min(start + width, last)) for start in range(first, last, width)]


def mask_spans(block: Block, height: int, *, by_class: bool, is_sorted: bool, first: int, step: int) -> list[Span]:
    """For each strip of anchors, the columns that need masks.

    Args:
        block: anchors and columns.
        height: number of anchors of a strip.
        by_class: whether masks depend on classes; otherwise only the anchor itself is masked.
        is_sorted: whether anchors and columns are sorted by class; otherwise they are in the order of the batch.
        first: row of the first anchor in the batch.
        step: distance between the rows of two anchors.
    """
    anchors, columns = block.anchors.table.shape[1], block.columns.table.shape[1]
    starts = range(0, anchors, height)
    if block.pair_weights is not None or not block.counts_negatives:
        return [(0, columns)] * len(starts)
    if block.is_queue and not by_class:
        return [(0, 0)] * len(starts)
    if not by_class:
        return [(first + step * start, first + step * (min(start + height, anchors) - 1) + 1) for start in starts]
    if not is_sorted or block.anchors.table.device.type not in HOST_KNOWS_CLASSES:
        return [(0, columns)] * len(starts)
    return _class_spans(block.anchors.table[0], block.columns.table[0], height)


def _class_spans(anchor_class: Tensor, column_class: Tensor, height: int) -> list[Span]:
    """For each strip, the columns of its classes; anchors and columns are sorted by class."""
    starts = range(0, anchor_class.shape[0], height)
    last = [min(start + height, anchor_class.shape[0]) - 1 for start in starts]
    first = torch.searchsorted(column_class, anchor_class[::height].contiguous()).tolist()
    behind = torch.searchsorted(column_class, anchor_class[torch.tensor(last, dtype=torch.int64)], right=True).tolist()
    return list(zip(first, behind, strict=True))
