"""How the matrix of anchors and columns is cut into tiles.

No tile outlives its turn, but for the first few that backward would compute again: what a loss keeps of it is a number
per row. That is why memory grows with the rows and not with their square.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from supcon.losses.engine.pair_sets import Block

EXPONENT_RANGE = {torch.float32: 36.0, torch.float64: 300.0}
"""Up to this |s|, sums of exponentials and their ratios stay in range without a shift."""

HOST_KNOWS_CLASSES = ("cpu",)
"""Devices whose values can be looked at without waiting for them."""

Span = tuple[int, int]
"""Columns from the first to behind the last."""


class TileShape(NamedTuple):
    """How many anchors and columns a tile has at most, and how many pairs are kept from forward to backward."""

    height: int
    width: int
    kept: int


CPU_TILE = TileShape(512, 1024, 2**23)
"""2 MB of float32 stay in the cache: the fastest of those measured. 32 MB are kept."""

GPU_TILE = TileShape(4096, 4096, 2**26)
"""A GPU wants few, large products: 64 MB each, 256 MB kept. Not measured; docs/losses.md has the reasoning."""


class Tile(NamedTuple):
    """Some anchors against some columns."""

    anchors: slice
    columns: slice
    near: slice | None
    """The columns that need masks: those that can be the anchor itself, a positive, or left out of a sum."""

    @property
    def inside(self) -> slice:
        """Where the near columns are within the tile."""
        assert self.near is not None
        return slice(self.near.start - self.columns.start, self.near.stop - self.columns.start)


def tile_shape(device: torch.device) -> TileShape:
    """The shape of a tile of a large matrix."""
    return CPU_TILE if device.type == "cpu" else GPU_TILE


def tiles(block: Block, spans: list[Span], shape: TileShape, *, half: bool, near_only: bool) -> Iterator[Tile]:
    """The tiles of a block, strip of anchors after strip.

    Args:
        block: anchors and columns.
        spans: for each strip, the columns that need masks.
        shape: that of a tile.
        half: anchors and columns are the same: the squares on the diagonal and what is to the right of them.
        near_only: leave out tiles without a near column.
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
        height: of a strip.
        by_class: whether classes decide; otherwise only the anchor itself is left out.
        is_sorted: whether both are in the order of their classes; otherwise they are in that of the batch.
        first: the first anchor's row in the batch.
        step: from one anchor's row to the next.
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
    """For each strip, from the first column of its first class to behind the last of its last; both are sorted."""
    starts = range(0, anchor_class.shape[0], height)
    last = [min(start + height, anchor_class.shape[0]) - 1 for start in starts]
    first = torch.searchsorted(column_class, anchor_class[::height].contiguous()).tolist()
    behind = torch.searchsorted(column_class, anchor_class[torch.tensor(last, dtype=torch.int64)], right=True).tolist()
    return list(zip(first, behind, strict=True))
