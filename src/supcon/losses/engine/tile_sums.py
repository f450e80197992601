"""Sums over each anchor's columns, tile by tile, and their backward pass.

Computes two sums together: the log-sum-exp over A(i) or N(i), and one of `POSITIVE_SUMS` over P(i). If anchors and
columns are the same rows, only half of the matrix is computed: a tile off the diagonal is used for its rows and for its
columns.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import log

import torch
from torch import Tensor

from supcon.losses.engine.dense import MASKED
from supcon.losses.engine.pair_sets import EMPTY, Block, Sets
from supcon.losses.engine.positive_sums import POSITIVE_SUMS, PositiveSum
from supcon.losses.engine.tile_shapes import Tile, TileShape, mask_spans, tile_shape, tiles

BITS = 1 / log(2)
"""exp(x) = exp2(BITS * x), and exp2 takes half the time; therefore tiles hold s * BITS."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """Which sums to compute."""

    blocks: list[Block]
    over: str
    """"others", "kept" or "negatives", as in `Sets.in_denominator`; "none": no log-sum-exp."""
    positive: str
    """Which of `POSITIVE_SUMS`; "none": no sum over positives."""
    negatives: Tensor | None
    """[anchor]: n, for the sums that use it."""
    first: int
    step: int
    half: bool
    """Whether the batch's columns are the anchors, so that the matrix is symmetric."""
    in_range: bool

    @cached_property
    def shape(self) -> TileShape:
        return tile_shape(self.anchors.device)

    @property
    def anchors(self) -> Tensor:
        return self.blocks[0].anchors.vectors

    @property
    def kind(self) -> PositiveSum | None:
        return POSITIVE_SUMS.get(self.positive)

    @property
    def n(self) -> Tensor:
        """[anchor, 1]: n, or zeros for the sums that do not use it."""
        n = self.anchors.new_zeros(self.anchors.shape[0]) if self.negatives is None else self.negatives
        return n[:, None]

    def tiles(self) -> Iterator[tuple[Block, Tile]]:
        """All tiles, always in the same order."""
        by_class = self.over != "others" or self.positive != "none"
        is_sorted = self.blocks[0].pair_weights is None
        for block in self.blocks:
            spans = mask_spans(
                block, self.shape.height, by_class=by_class, is_sorted=is_sorted, first=self.first, step=self.step
            )
            half = self.half and not block.is_queue
            for tile in tiles(block, spans, self.shape, half=half, near_only=self.over == "none"):
                yield block, tile

    def is_mirrored(self, block: Block, tile: Tile) -> bool:
        """Whether the tile is also used for the sums of its columns."""
        return self.half and not block.is_queue and tile.columns != tile.anchors


class Products:
    """Computes tiles of s * BITS in one reused buffer; the first tiles are stored in `kept`, or read from it."""

    def __init__(self, task: Task, kept: Tensor, *, taken: bool) -> None:
        self.memory = task.anchors.new_empty(_largest_tile(task))
        self.kept, self.taken, self.place = kept, taken, 0
        self.empty = {id(block): _empty_slots(block) for block in task.blocks if block.is_queue}

    def tile(self, block: Block, tile: Tile) -> tuple[Tensor, Tensor]:
        """[anchor, column]: s * BITS, read-only; and memory of the same shape for results, possibly the same memory.

        The next call overwrites both.
        """
        anchors, columns = block.anchors.vectors[tile.anchors], block.columns.vectors[tile.columns]
        size, shape = _pairs(tile), (anchors.shape[0], columns.shape[0])
        work, stored = self.memory[:size].view(shape), self.kept[self.place : self.place + size]
        self.place += size
        is_kept = stored.shape[0] == size
        bits = stored.view(shape) if is_kept else work
        if is_kept and self.taken:
            return bits, work
        if block.is_queue:
            torch.addmm(self.empty[id(block)][tile.columns], anchors, columns.t(), alpha=BITS, out=bits)
        else:
            torch.addmm(bits, anchors, columns.t(), beta=0, alpha=BITS, out=bits)
        return bits, work


def _largest_tile(task: Task) -> int:
    widest = max(block.columns.table.shape[1] for block in task.blocks)
    return min(task.shape.height, task.anchors.shape[0]) * min(max(task.shape.width, task.shape.height), widest)


def _empty_slots(queue: Block) -> Tensor:
    """[column]: 0, and `MASKED` for a slot of the queue that was never filled."""
    is_empty = queue.columns.table[1] == EMPTY
    return queue.columns.vectors.new_zeros(is_empty.shape).masked_fill_(is_empty, MASKED)


def _pairs(tile: Tile) -> int:
    pairs: int = (tile.anchors.stop - tile.anchors.start) * (tile.columns.stop - tile.columns.start)
    return pairs


def forward_sums(task: Task, kept: Tensor) -> tuple[Tensor, Tensor]:
    """[anchor]: the log-sum-exp, minus infinity for an empty sum; and [anchor]: the sum over positives.

    The products of the first tiles are written to `kept`.
    """
    anchors = task.anchors.shape[0]
    log_sum = task.anchors.new_full((anchors,), -torch.inf)
    positive = task.anchors.new_full((anchors,), 0.0 if task.kind is None else task.kind.empty)
    products = Products(task, kept, taken=False)
    for block, tile in task.tiles():
        (bits, work), is_mirrored = products.tile(block, tile), task.is_mirrored(block, tile)
        sets, in_denominator = _near_sets(task, block, tile)
        if task.kind is not None and sets is not None:
            _add_positive(task, task.kind, positive, bits[:, tile.inside] / BITS, sets.weights, tile, is_mirrored)
        if task.over != "none":
            log_sums = _row_log_sum_exp2(bits, work, in_denominator, tile, task.in_range)
            log_sum[tile.anchors] = torch.logaddexp2(log_sum[tile.anchors], log_sums)
        if task.over != "none" and is_mirrored:
            # `work` now holds the exponentials, without a shift: half matrices are only used if s is in range.
            log_sum[tile.columns] = torch.logaddexp2(log_sum[tile.columns], work.sum(0).log2_())
    return log_sum.div_(BITS), positive


def _near_sets(task: Task, block: Block, tile: Tile) -> tuple[Sets | None, Tensor | None]:
    """The sets of a tile's near columns, and the mask of those in the log-sum-exp."""
    if tile.near is None:
        return None, None
    sets = block.sets(tile.anchors, tile.near)
    return sets, None if task.over == "none" else sets.in_denominator(task.over)


def _add_positive(
    task: Task, kind: PositiveSum, total: Tensor, s: Tensor, weights: Tensor, tile: Tile, is_mirrored: bool
) -> None:
    assert tile.near is not None
    n, a, c = task.n, tile.anchors, tile.near
    if is_mirrored:
        total[c] = kind.add(total[c], kind.value(s.t(), weights.t(), n[c]))
    total[a] = kind.add(total[a], kind.value(s, weights, n[a]))


def _row_log_sum_exp2(bits: Tensor, work: Tensor, in_denominator: Tensor | None, tile: Tile, in_range: bool) -> Tensor:
    """[anchor]: log2 of the sum of 2 ** bits; writes the terms to `work`."""
    if in_range:
        torch.exp2(bits, out=work)
        if in_denominator is not None:
            work[:, tile.inside] *= in_denominator
        return work.sum(1).log2_()
    work.copy_(bits)
    if in_denominator is not None:
        work[:, tile.inside].masked_fill_(in_denominator == 0, -torch.inf)
    # Excluded columns are minus infinity, so the maximum is over the terms of the sum.
    shift = work.amax(1).clamp_(min=torch.finfo(work.dtype).min)
    return work.sub_(shift[:, None]).exp2_().sum(1).log2_().add_(shift)


def backward_sums(
    task: Task, kept: Tensor, sums: tuple[Tensor, Tensor], gradients: tuple[Tensor, Tensor], *, with_queue: bool
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The gradients with respect to anchors, the batch's columns, the queue and n; empty if not needed."""
    slopes, products = _Slopes(task, sums, gradients), Products(task, kept, taken=True)
    none = task.anchors.new_zeros(0)
    of_anchors = torch.zeros_like(task.anchors)
    of_columns = [of_anchors if task.half else torch.zeros_like(task.blocks[0].columns.vectors)]
    of_columns += [torch.zeros_like(block.columns.vectors) if with_queue else none for block in task.blocks[1:]]
    for block, tile in task.tiles():
        slope = slopes.tile(block, tile, *products.tile(block, tile))
        of_anchors[tile.anchors].addmm_(slope, block.columns.vectors[tile.columns])
        # On the diagonal of a half matrix, the slope already includes both roles (anchor and column) of a row.
        has_columns = with_queue if block.is_queue else not task.half or task.is_mirrored(block, tile)
        if has_columns:
            of_columns[int(block.is_queue)][tile.columns].addmm_(slope.t(), task.anchors[tile.anchors])
    of_queue = of_columns[1] if with_queue else task.anchors.new_zeros(0)
    return of_anchors, none if task.half else of_columns[0], of_queue, slopes.of_negatives


class _Slopes:
    """Computes tiles of d loss / d s from the sums of the forward pass."""

    def __init__(self, task: Task, sums: tuple[Tensor, Tensor], gradients: tuple[Tensor, Tensor]) -> None:
        (log_sum, self.positive), (of_log_sum, self.of_positive) = sums, gradients
        self.task, self.of_negatives, self.n = task, torch.zeros_like(log_sum), task.n
        bits = (log_sum * BITS)[:, None]
        is_empty = bits.isneginf()
        if task.in_range:
            # exp(s) times a factor per row, so that a mirrored tile needs its exponentials only once.
            self.shift, share = None, of_log_sum[:, None] * bits.neg().exp2_()
        else:
            self.shift, share = bits.masked_fill(is_empty, torch.inf), of_log_sum[:, None]
        self.share = share.masked_fill(is_empty, 0.0)
        self.memory = task.anchors.new_empty(_largest_tile(task) if task.half else 0)

    def tile(self, block: Block, tile: Tile, bits: Tensor, work: Tensor) -> Tensor:
        """[anchor, column]: d loss / d s, in `work`."""
        a, c, task = tile.anchors, tile.columns, self.task
        sets, in_denominator = _near_sets(task, block, tile)
        s = bits[:, tile.inside] / BITS if task.kind is not None and sets is not None else None
        if task.over == "none":
            slope = work.zero_()
        elif self.shift is None:
            slope = torch.exp2(bits, out=work)
        else:
            # Excluded columns may be far above the sum: clamp them; they are multiplied by 0 below.
            slope = torch.sub(bits, self.shift[a], out=work).clamp_(max=80).exp2_()
        if task.over != "none":
            slope *= self._outer_sum(a, c) if task.half and not block.is_queue else self.share[a]
        if in_denominator is not None:
            slope[:, tile.inside] *= in_denominator
        if s is not None and sets is not None:
            slope[:, tile.inside] += self._of_positives(block, tile, s, sets.weights)
        return slope

    def _outer_sum(self, a: slice, c: slice) -> Tensor:
        left, right = self.share[a], self.share[c].t()
        shape = (left.shape[0], right.shape[1])
        return torch.add(left, right, out=self.memory[: shape[0] * shape[1]].view(shape))

    def _of_positives(self, block: Block, tile: Tile, s: Tensor, weights: Tensor) -> Tensor:
        assert tile.near is not None
        if self.task.is_mirrored(block, tile):
            of_columns = self._of_one_side(s.t(), weights.t(), tile.near)
            return self._of_one_side(s, weights, tile.anchors) + of_columns.t()
        slope = self._of_one_side(s, weights, tile.anchors)
        return slope + slope.t() if self.task.half and not block.is_queue else slope

    def _of_one_side(self, s: Tensor, weights: Tensor, anchors: slice) -> Tensor:
        assert self.task.kind is not None
        slope = self.task.kind.slope(s, weights, self.n[anchors], self.positive[anchors, None])
        slope = slope * self.of_positive[anchors, None]
        if self.task.negatives is not None:
            self.of_negatives[anchors] -= slope.sum(1)
        return slope
