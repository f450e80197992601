"""What the losses need of an anchor's positives alone: four sums over P(i), tile by tile.

With rows sorted by class the positives lie in a band around the diagonal, and no tile outside of it is computed.

| name | sum over p in P(i), with w = weight, s = z_i . z_p / tau, n = log-sum-exp over N(i) | used by |
|---|---|---|
| similarity | sum w s | Eq. 2 |
| log_sum_exp | log sum w exp(s) | Eq. 3 |
| one_positive_out | sum w log(1 + exp(n - s)) | Eq. 2 with the denominator exp(s) + exp(n) |
| one_positive_in | log sum w / (1 + exp(n - s)) | Eq. 3 with the denominator exp(s) + exp(n) |
"""

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from supcon.losses.first_derivative import first_derivative_only
from supcon.losses.positives import Positives
from supcon.losses.tiles import (
    NEVER,
    Similarities,
    exp_,
    parts,
    row_log_sum_exp_,
    strips,
    tile_shape,
)

SumName = Literal["similarity", "log_sum_exp", "one_positive_out", "one_positive_in"]


class _Sum(NamedTuple):
    """One of the four: its value on a tile, how two tiles add up, and d value / d s for every pair of a tile."""

    value: Callable[[Tensor, Tensor, Tensor], Tensor]
    add: Callable[[Tensor, Tensor], Tensor]
    empty: float
    slope: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
    logarithmic: bool
    """Whether w stands for the logarithms of the weights."""


_SUMS: dict[SumName, _Sum] = {
    "similarity": _Sum(
        value=lambda s, w, _: (w * s).sum(1),
        add=torch.add,
        empty=0.0,
        slope=lambda _, w, __, ___: w,
        logarithmic=False,
    ),
    "log_sum_exp": _Sum(
        value=lambda s, w, _: row_log_sum_exp_(w.add_(s)),
        add=torch.logaddexp,
        empty=NEVER,
        slope=lambda s, w, _, value: exp_(w.add_(s).sub_(value)),
        logarithmic=True,
    ),
    "one_positive_out": _Sum(
        value=lambda s, w, n: -(w * logsigmoid(s - n)).sum(1),
        add=torch.add,
        empty=0.0,
        slope=lambda s, w, n, _: (n - s).sigmoid_().mul_(w).neg_(),
        logarithmic=False,
    ),
    "one_positive_in": _Sum(
        value=lambda s, w, n: row_log_sum_exp_(w.add_(logsigmoid(s - n))),
        add=torch.logaddexp,
        empty=NEVER,
        slope=lambda s, w, n, value: exp_(w.add_(logsigmoid(s - n)).sub_(value)).mul_((n - s).sigmoid_()),
        logarithmic=True,
    ),
}


def positive_sum(
    name: SumName,
    anchors: Tensor,
    columns: Tensor,
    negatives: Tensor | None,
    temperature: float,
    positives: Positives,
) -> Tensor:
    """One of the four sums over P(i).

    Args:
        name: which.
        anchors: [anchor, dim].
        columns: [column, dim].
        negatives: [anchor], log-sum-exp over N(i), for the sums with "one_positive".
        temperature: tau.
        positives: which columns, with what weight.

    Returns:
        [anchor]; the empty sum where there is no positive: 0, or about `NEVER` for a logarithm.
    """
    negatives = anchors.new_zeros(len(anchors)) if negatives is None else negatives
    result: Tensor = _PositiveSum.apply(anchors, columns, negatives, name, temperature, positives)
    return result


class _PositiveSum(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        anchors: Tensor,
        columns: Tensor,
        negatives: Tensor,
        name: SumName,
        temperature: float,
        positives: Positives,
    ) -> Tensor:
        kind = _SUMS[name]
        result = anchors.new_full((len(anchors),), kind.empty)
        for rows, _, tile, weights in _tiles(anchors, columns, temperature, positives, kind.logarithmic):
            result[rows] = kind.add(result[rows], kind.value(tile, weights, negatives[rows, None]))
        ctx.save_for_backward(anchors, columns, negatives, result)
        ctx.name, ctx.temperature, ctx.positives = name, temperature, positives
        return result

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        anchors, columns, negatives, value = ctx.saved_tensors
        kind = _SUMS[ctx.name]
        of_anchors, of_negatives = torch.zeros_like(anchors), torch.zeros_like(negatives)
        of_columns = torch.zeros_like(columns) if ctx.needs_input_grad[1] else None
        for rows, part, tile, weights in _tiles(anchors, columns, ctx.temperature, ctx.positives, kind.logarithmic):
            slope = kind.slope(tile, weights, negatives[rows, None], value[rows, None])
            slope *= gradient[rows, None]
            of_negatives[rows] -= slope.sum(1)
            of_anchors[rows].addmm_(slope, columns[part], alpha=1 / ctx.temperature)
            if of_columns is not None:
                of_columns[part].addmm_(slope.t(), anchors[rows], alpha=1 / ctx.temperature)
        return of_anchors, of_columns, of_negatives, None, None, None


def _tiles(
    anchors: Tensor, columns: Tensor, temperature: float, positives: Positives, logarithmic: bool
) -> Iterator[tuple[slice, slice, Tensor, Tensor]]:
    shape = tile_shape(anchors.device)
    similarities = Similarities(anchors, columns, 1 / temperature, shape)
    spans = positives.spans(len(anchors), shape.height)
    for rows, span in zip(strips(len(anchors), shape.height), spans, strict=True):
        for part in parts(span, shape.width):
            weights = positives.weights(rows, part)
            weights = positives.log_weights(weights) if logarithmic else weights
            yield rows, part, similarities.tile(rows, part), weights
