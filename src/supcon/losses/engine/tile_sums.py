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

LOG2_E = 1 / log(2)
"""exp(x) = exp2(LOG2_E * x), and exp2 takes half the time; therefore tiles hold s * LOG2_E."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """Which sums to compute."""

    blocks: list[Block]
    over: str
    """"others", "kept" or "negatives", as in `Sets.in_denominator`; "none": no log-sum-exp."""
    positive: str
    """Which of `POSITIVE_SUMS`; "none": no sum over positives."""
    negatives: Tensor | None
    """[anchor]: n, the log-sum-exp over N(i), for the sums that use it."""
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
    def negatives_lse(self) -> Tensor:
        """[anchor, 1]: n, or zeros for the sums that do not use it."""
        lse = self.anchors.new_zeros(self.anchors.shape[0]) if self.negatives is None else self.negatives
        return lse[:, None]

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
    """Computes tiles of `s_log2` = s * LOG2_E in one reused buffer; stores the first in `kept` or reads them there."""

    def __init__(self, task: Task, kept: Tensor, *, reuse_kept: bool) -> None:
        self.memory = task.anchors.new_empty(_largest_tile(task))
        self.kept, self.reuse_kept, self.start = kept, reuse_kept, 0
        self.empty = {id(block): _empty_slots(block) for block in task.blocks if block.is_queue}

    def tile(self, block: Block, tile: Tile) -> tuple[Tensor, Tensor]:
        """[anchor, column]: s * LOG2_E, read-only; and memory of the same shape for results, possibly the same memory.

        The next call overwrites both.
        """
        anchors, columns = block.anchors.vectors[tile.anchors], block.columns.vectors[tile.columns]
        size, shape = _pairs(tile), (anchors.shape[0], columns.shape[0])
        work, stored = self.memory[:size].view(shape), self.kept[self.start : self.start + size]
        self.start += size
        is_kept = stored.shape[0] == size
        s_log2 = stored.view(shape) if is_kept else work
        if is_kept and self.reuse_kept:
            return s_log2, work
        if block.is_queue:
            torch.addmm(self.empty[id(block)][tile.columns], anchors, columns.t(), alpha=LOG2_E, out=s_log2)
        else:
            torch.addmm(s_log2, anchors, columns.t(), beta=0, alpha=LOG2_E, out=s_log2)
        return s_log2, work


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
    products = Products(task, kept, reuse_kept=False)
    for block, tile in task.tiles():
        (s_log2, work), is_mirrored = products.tile(block, tile), task.is_mirrored(block, tile)
        sets, in_denominator = _near_sets(task, block, tile)
        if task.kind is not None and sets is not None:
            _add_positive(task, task.kind, positive, s_log2[:, tile.inside] / LOG2_E, sets.weights, tile, is_mirrored)
        if task.over != "none":
            log_sums = _row_log_sum_exp2(s_log2, work, in_denominator, tile, task.in_range)
            log_sum[tile.anchors] = torch.logaddexp2(log_sum[tile.anchors], log_sums)
        if task.over != "none" and is_mirrored:
            # `work` now holds the exponentials, without a shift: half matrices are only used if s is in range.
            log_sum[tile.columns] = torch.logaddexp2(log_sum[tile.columns], work.sum(0).log2_())
    return log_sum.div_(LOG2_E), positive


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
    lse, a, c = task.negatives_lse, tile.anchors, tile.near
    if is_mirrored:
        total[c] = kind.add(total[c], kind.value(s.t(), weights.t(), lse[c]))
    total[a] = kind.add(total[a], kind.value(s, weights, lse[a]))


def _row_log_sum_exp2(
    s_log2: Tensor, work: Tensor, in_denominator: Tensor | None, tile: Tile, in_range: bool
) -> Tensor:
    """[anchor]: log2 of the sum of 2 ** s_log2; writes the terms to `work`."""
    if in_range:
        torch.exp2(s_log2, out=work)
        if in_denominator is not None:
            work[:, tile.inside] *= in_denominator
        return work.sum(1).log2_()
    work.copy_(s_log2)
    if in_denominator is not None:
        work[:, tile.inside].masked_fill_(in_denominator == 0, -torch.inf)
    # Excluded columns are minus infinity, so the maximum is over the terms of the sum.
    shift = work.amax(1).clamp_(min=torch.finfo(work.dtype).min)
    return work.sub_(shift[:, None]).exp2_().sum(1).log2_().add_(shift)


def backward_sums(
    task: Task, kept: Tensor, sums: tuple[Tensor, Tensor], gradients: tuple[Tensor, Tensor], *, with_queue: bool
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The gradients with respect to anchors, the batch's columns, the queue and `negatives`; empty if not needed."""
    gradients_of_s, products = _Gradients(task, sums, gradients), Products(task, kept, reuse_kept=True)
    none = task.anchors.new_zeros(0)
    grad_anchors = torch.zeros_like(task.anchors)
    grad_columns = [grad_anchors if task.half else torch.zeros_like(task.blocks[0].columns.vectors)]
    grad_columns += [torch.zeros_like(block.columns.vectors) if with_queue else none for block in task.blocks[1:]]
    for block, tile in task.tiles():
        grad = gradients_of_s.tile(block, tile, *products.tile(block, tile))
        grad_anchors[tile.anchors].addmm_(grad, block.columns.vectors[tile.columns])
        # On the diagonal of a half matrix, `grad` already includes both roles (anchor and column) of a row.
        has_columns = with_queue if block.is_queue else not task.half or task.is_mirrored(block, tile)
        if has_columns:
            grad_columns[int(block.is_queue)][tile.columns].addmm_(grad.t(), task.anchors[tile.anchors])
    grad_queue = grad_columns[1] if with_queue else task.anchors.new_zeros(0)
    return grad_anchors, none if task.half else grad_columns[0], grad_queue, gradients_of_s.grad_negatives


class _Gradients:
    """Computes tiles of d loss / d s from the sums of the forward pass."""

    def __init__(self, task: Task, sums: tuple[Tensor, Tensor], gradients: tuple[Tensor, Tensor]) -> None:
        (log_sum, self.positive), (grad_log_sum, self.grad_positive) = sums, gradients
        self.task, self.grad_negatives, self.negatives_lse = task, torch.zeros_like(log_sum), task.negatives_lse
        log2_sum = (log_sum * LOG2_E)[:, None]
        is_empty = log2_sum.isneginf()
        if task.in_range:
            # exp(s) times a factor per row, so that a mirrored tile needs its exponentials only once.
            self.shift, share = None, grad_log_sum[:, None] * log2_sum.neg().exp2_()
        else:
            self.shift, share = log2_sum.masked_fill(is_empty, torch.inf), grad_log_sum[:, None]
        self.share = share.masked_fill(is_empty, 0.0)
        self.memory = task.anchors.new_empty(_largest_tile(task) if task.half else 0)

    def tile(self, block: Block, tile: Tile, s_log2: Tensor, work: Tensor) -> Tensor:
        """[anchor, column]: d loss / d s, in `work`."""
        a, c, task = tile.anchors, tile.columns, self.task
        sets, in_denominator = _near_sets(task, block, tile)
        s = s_log2[:, tile.inside] / LOG2_E if task.kind is not None and sets is not None else None
        if task.over == "none":
            grad = work.zero_()
        elif self.shift is None:
            grad = torch.exp2(s_log2, out=work)
        else:
            # Excluded columns may be far above the sum: clamp them; they are multiplied by 0 below.
            grad = torch.sub(s_log2, self.shift[a], out=work).clamp_(max=80).exp2_()
        if task.over != "none":
            grad *= self._outer_sum(a, c) if task.half and not block.is_queue else self.share[a]
        if in_denominator is not None:
            grad[:, tile.inside] *= in_denominator
        if s is not None and sets is not None:
            grad[:, tile.inside] += self._of_positives(block, tile, s, sets.weights)
        return grad

    def _outer_sum(self, a: slice, c: slice) -> Tensor:
        left, right = self.share[a], self.share[c].t()
        shape = (left.shape[0], right.shape[1])
        return torch.add(left, right, out=self.memory[: shape[0] * shape[1]].view(shape))

    def _of_positives(self, block: Block, tile: Tile, s: Tensor, weights: Tensor) -> Tensor:
        assert tile.near is not None
        if self.task.is_mirrored(block, tile):
            grad_columns = self._of_one_side(s.t(), weights.t(), tile.near)
            return self._of_one_side(s, weights, tile.anchors) + grad_columns.t()
        grad = self._of_one_side(s, weights, tile.anchors)
        return grad + grad.t() if self.task.half and not block.is_queue else grad

    def _of_one_side(self, s: Tensor, weights: Tensor, anchors: slice) -> Tensor:
        assert self.task.kind is not None
        grad = self.task.kind.derivative(s, weights, self.negatives_lse[anchors], self.positive[anchors, None])
        grad = grad * self.grad_positive[anchors, None]
        if self.task.negatives is not None:
            self.grad_negatives[anchors] -= grad.sum(1)
        return grad
