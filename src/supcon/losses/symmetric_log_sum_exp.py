"""Log-sum-exps of rows against themselves, with symmetry put to use.

They need similarities in the exponent's range: sums of plain exponentials are all that is kept of a tile.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from supcon.losses import one_tile
from supcon.losses.first_derivative import first_derivative_only
from supcon.losses.one_tile import share
from supcon.losses.positives import ClassPositives
from supcon.losses.tiles import KEPT_PAIRS, Span, are_few, strips, tile_shape
from supcon.losses.upper_tiles import UpperGradient, upper_tiles


def over_others(rows: Tensor, temperature: float) -> Tensor:
    """[row]: log-sum-exp over A(i), all rows but itself; minus infinity if there is no other."""
    if are_few(len(rows) ** 2):
        return one_tile.over_others(rows, temperature)
    result: Tensor = _OverOthers.apply(rows, temperature)
    return result


def over_classes(rows: Tensor, temperature: float, positives: ClassPositives) -> tuple[Tensor, Tensor]:
    """[row]: log-sum-exp over N(i) and over P(i); minus infinity where a set is empty."""
    if are_few(len(rows) ** 2) and positives.cap is None:
        return one_tile.over_classes(rows, temperature, positives)
    result: tuple[Tensor, Tensor] = _OverClasses.apply(rows, temperature, positives)
    return result


class _OverOthers(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, temperature: float) -> Tensor:
        sums, kept, room = rows.new_zeros(len(rows)), [], KEPT_PAIRS if ctx.needs_input_grad[0] else 0
        for left, right, tile in upper_tiles(rows, temperature):
            if right == left:
                tile.fill_diagonal_(0.0)
            _add_sums(sums, left, right, tile)
            room -= tile.numel()
            if room >= 0:
                kept.append(tile.clone())
        ctx.save_for_backward(rows, sums, *kept)
        ctx.temperature = temperature
        return sums.log()

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        rows, sums, *kept = ctx.saved_tensors
        shares = share(gradient, sums, ctx.temperature)
        result = UpperGradient(rows)
        for left, right, tile in upper_tiles(rows, ctx.temperature, kept):
            weight = result.outer_sum(shares[left], shares[right])
            if right == left:
                weight.fill_diagonal_(0.0)
            result.add(left, right, weight.mul_(tile))
        return result.total, None


class _OverClasses(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, temperature: float, positives: ClassPositives) -> tuple[Tensor, Tensor]:
        negative, positive = rows.new_zeros(len(rows)), rows.new_zeros(len(rows))
        spans = _spans(rows, positives)
        for left, right, tile in upper_tiles(rows, temperature):
            near = _near(positives, left, right, spans[left.start])
            if near is not None:
                part = tile[:, near.inside]
                positive[left] += (part * near.of_left).sum(1)
                if right != left:
                    positive[near.columns] += (part * near.of_right).sum(0)
                part *= near.differ
            _add_sums(negative, left, right, tile)
        ctx.save_for_backward(rows, negative, positive)
        ctx.temperature, ctx.positives, ctx.spans = temperature, positives, spans
        return negative.log(), positive.log()

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, of_negative: Tensor, of_positive: Tensor) -> tuple[Tensor, None, None]:
        rows, negative, positive = ctx.saved_tensors
        negative_share = share(of_negative, negative, ctx.temperature)
        positive_share = share(of_positive, positive, ctx.temperature)
        result = UpperGradient(rows)
        for left, right, tile in upper_tiles(rows, ctx.temperature):
            weight = result.outer_sum(negative_share[left], negative_share[right])
            near = _near(ctx.positives, left, right, ctx.spans[left.start])
            if near is not None:
                part = weight[:, near.inside]
                part *= near.differ
                part.addcmul_(near.of_left, positive_share[left, None])
                part.addcmul_(near.of_right, positive_share[near.columns])
            result.add(left, right, weight.mul_(tile))
        return result.total, None, None


class _Near(NamedTuple):
    """The columns of a tile that can share a class with one of its rows; 1 stands for true."""

    inside: slice
    """Where they are in the tile."""
    columns: slice
    """Which columns they are."""
    differ: Tensor
    """[row, column]: the two are of different classes."""
    of_left: Tensor
    """[row, column]: the column is a positive of the row."""
    of_right: Tensor
    """[row, column]: the row is a positive of the column."""


def _near(positives: ClassPositives, left: slice, right: slice, span: Span) -> _Near | None:
    start, stop = max(span[0], right.start), min(span[1], right.stop)
    if start >= stop:
        return None
    columns, inside = slice(start, stop), slice(start - right.start, stop - right.start)
    differ = positives.differ(left, columns)
    both = 1 - differ
    positives.itself.exclude(both, left, columns, 0.0)
    if positives.cap is None:
        return _Near(inside, columns, differ, both, both)
    of_right = both * positives.cap.is_kept(left, columns)
    return _Near(inside, columns, differ, both.mul_(positives.cap.keeps(left, columns)), of_right)


def _spans(rows: Tensor, positives: ClassPositives) -> dict[int, Span]:
    """For the first row of each strip, the columns that can share a class with one of the strip."""
    height = tile_shape(rows.device).height
    spans = positives.spans(len(rows), height)
    return {strip.start: span for strip, span in zip(strips(len(rows), height), spans, strict=True)}


def _add_sums(sums: Tensor, left: slice, right: slice, tile: Tensor) -> None:
    sums[left] += tile.sum(1)
    if right != left:
        sums[right] += tile.sum(0)
