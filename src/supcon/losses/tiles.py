"""The similarity matrix of anchors and columns, cut into tiles that stay in the cache.

No tile outlives its turn: what a loss keeps of it is a number per row. That is why memory grows with the rows and not
with their square.
"""

from collections.abc import Iterator
from math import log
from typing import NamedTuple

import torch
from torch import Tensor

BITS = 1 / log(2)
"""Exponentials are powers of two of so many times the exponent: `exp2` takes half the time of `exp`."""

Span = tuple[int, int]
"""Columns from the first to behind the last."""


class TileShape(NamedTuple):
    """How many anchors and columns a tile has at most."""

    height: int
    width: int


def tile_shape(device: torch.device) -> TileShape:
    """2 MB of float32, measured best on CPU caches; a GPU wants fewer, larger products."""
    return TileShape(256, 2048) if device.type == "cpu" else TileShape(2048, 8192)


def strips(anchors: int, height: int) -> list[slice]:
    """The anchors, in strips of a tile's height."""
    return [slice(start, min(start + height, anchors)) for start in range(0, anchors, height)]


def parts(span: Span, width: int) -> Iterator[slice]:
    """A span of columns, in parts of a tile's width."""
    return (slice(start, min(start + width, span[1])) for start in range(*span, width))


class Similarities:
    """Computes tiles of scale * anchors . columns, each in the memory of the one before."""

    def __init__(self, anchors: Tensor, columns: Tensor, scale: float, shape: TileShape) -> None:
        self.anchors, self.columns, self.scale = anchors, columns, scale
        self.memory = anchors.new_empty(min(shape.height, len(anchors)) * min(shape.width, len(columns)))

    def tile(self, rows: slice, part: slice) -> Tensor:
        """The scaled inner products of some anchors and some columns, to be used up before the next call."""
        height, width = rows.stop - rows.start, part.stop - part.start
        tile = self.memory[: height * width].view(height, width)
        return torch.addmm(tile, self.anchors[rows], self.columns[part].t(), beta=0, alpha=self.scale, out=tile)
