"""Tiles of a symmetric matrix: where anchors and columns are the same rows, half of it is enough.

Four matrix products of half the matrix are all there is: one forward, and backward the same again and one for either
side of it.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from supcon.losses.tiles import BITS, Similarities, parts, strips, tile_shape


def upper_tiles(rows: Tensor, temperature: float, kept: Sequence[Tensor] = ()) -> Iterator[tuple[slice, slice, Tensor]]:
    """exp(row . row / temperature) of every square on the diagonal, then of the tiles to the right of it.

    The first ones are taken from those that were kept when they were first computed, in this order.
    """
    shape = tile_shape(rows.device)
    similarities, known = Similarities(rows, rows, BITS / temperature, shape), iter(kept)
    for left in strips(len(rows), shape.height):
        for right in (left, *parts((left.stop, len(rows)), shape.width)):
            tile = next(known, None)
            yield left, right, similarities.tile(left, right).exp2_() if tile is None else tile


class UpperGradient:
    """Collects d loss / d rows from tiles of d loss / d similarity."""

    def __init__(self, rows: Tensor) -> None:
        self.rows, self.total = rows, torch.zeros_like(rows)
        shape = tile_shape(rows.device)
        self.memory = rows.new_empty(shape.height * shape.width)

    def outer_sum(self, left: Tensor, right: Tensor) -> Tensor:
        """[left, right]: left + right, in memory that the next call uses again."""
        tile = self.memory[: len(left) * len(right)].view(len(left), len(right))
        return torch.add(left[:, None], right, out=tile)

    def add(self, left: slice, right: slice, tile: Tensor) -> None:
        """Add what a tile gives to the rows on either side of it; a square on the diagonal has but one side."""
        self.total[left].addmm_(tile, self.rows[right])
        if right != left:
            self.total[right].addmm_(tile.t(), self.rows[left])
