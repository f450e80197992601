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
"""exp(x) is exp2(BITS * x), in half the time, and in a fraction of it where the result is too small for a number."""

EXPONENT_RANGE = {torch.float32: 36.0, torch.float64: 300.0}
"""Up to this |similarity| / temperature, sums of exponentials and their ratios stay in range without a shift."""

NEVER = -1e30
"""An exponent that is as good as minus infinity, and that no sum or difference turns into NaN."""

Span = tuple[int, int]
"""Columns from the first to behind the last."""


class TileShape(NamedTuple):
    """How many anchors and columns a tile has at most."""

    height: int
    width: int


CPU_TILE = TileShape(512, 1024)
"""2 MB of float32: the fastest of those measured."""

GPU_TILE = TileShape(2048, 8192)
"""A GPU wants fewer, larger products; not measured."""

FEW_PAIRS = 2**20
"""Up to so many pairs of anchor and column the matrix is small enough, 4 MB, to be computed as a whole and kept."""

KEPT_PAIRS = 2**23
"""Of a large matrix, so many pairs are kept from forward to backward, 32 MB; the others are computed twice."""

QUICKEST_PAIRS = 2**18
"""Up to so many, Eq. 2 from projections to losses in one step (`few_rows`) is the fastest of all."""

VERY_FEW_PAIRS = 2**17
"""Up to so many, even numbering the classes would cost more than it saves."""


def tile_shape(device: torch.device) -> TileShape:
    """The shape of a tile of a large matrix."""
    return CPU_TILE if device.type == "cpu" else GPU_TILE


def are_few(pairs: int) -> bool:
    """Whether the matrix of so many pairs is computed as a whole; one without any is not."""
    return 0 < pairs <= FEW_PAIRS


def are_very_few(pairs: int) -> bool:
    """Whether the matrix of so many pairs is all that is looked at; one without any is not."""
    return 0 < pairs <= VERY_FEW_PAIRS


def are_quickest_at_once(pairs: int) -> bool:
    """Whether Eq. 2 of so many pairs is computed in one step; one without any is not."""
    return 0 < pairs <= QUICKEST_PAIRS


def exp_(exponent: Tensor) -> Tensor:
    """exp, in the exponent's memory."""
    return exponent.mul_(BITS).exp2_()


def row_log_sum_exp_(exponent: Tensor) -> Tensor:
    """log-sum-exp of each row of a tile, whose memory it uses up."""
    shift = exponent.amax(1)
    return exp_(exponent.sub_(shift[:, None])).sum(1).log_().add_(shift)


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
