"""The whole matrix in plain autograd operations: sums of exponentials, and a second derivative."""

import math
from itertools import product
from typing import Any

import pytest
import torch

from references.batches import make_batch
from references.supcon_loops import class_sets, mean, row_losses, unit
from supcon.losses import supcon_loss
from supcon.losses.engine import dense

FORMULAS = list(product(("out", "in"), ("all", "one_positive", "negatives")))


@pytest.mark.parametrize(("summation", "denominator"), FORMULAS)
def test_a_dense_batch_has_a_second_derivative_and_it_is_that_of_the_loops(summation: str, denominator: str) -> None:
    batch = make_batch([0, 1, 0, 2, 1], views=2)
    formula: dict[str, Any] = {"temperature": 0.3, "summation": summation, "denominator": denominator}
    sets = class_sets(batch.row_labels, batch.row_images)
    expected = mean(row_losses([unit(row) for row in batch.rows], *sets, **formula))
    penalties = []
    for loss in (supcon_loss(batch.projections, batch.labels, **formula), expected):
        (gradient,) = torch.autograd.grad(loss, batch.projections, create_graph=True)
        penalties.append(torch.autograd.grad(gradient.square().sum(), batch.projections)[0])
    torch.testing.assert_close(*penalties)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_log_sum_exp_is_torchs_over_the_weighted_columns(dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(0)
    exponent = torch.randn(6, 9, dtype=dtype, generator=generator) * 5
    weights = torch.rand(6, 9, dtype=dtype, generator=generator) * (torch.rand(6, 9, generator=generator) < 0.6)
    weights[:, 0] = 0.5
    expected = (exponent + weights.log()).logsumexp(1, keepdim=True)
    torch.testing.assert_close(dense.log_sum_exp(exponent, weights), expected)
    torch.testing.assert_close(dense.log_sum_exp(exponent, weights, exponent.exp()), expected)


def test_exponents_far_out_of_range_of_float32() -> None:
    exponent = torch.tensor([[900.0, 901.0, 5000.0]], requires_grad=True)
    weights = torch.tensor([[1.0, 1.0, 0.0]])
    found = dense.log_sum_exp(exponent, weights)
    assert found.item() == pytest.approx(901 + math.log1p(math.exp(-1)))
    (gradient,) = torch.autograd.grad(found, exponent)
    torch.testing.assert_close(gradient, torch.tensor([[1, math.e, 0]]) / (1 + math.e))


def test_an_empty_sum_is_far_below_any_other_and_has_no_gradient() -> None:
    exponent = torch.randn(2, 3, requires_grad=True)
    found = dense.log_sum_exp(exponent, torch.zeros(2, 3))
    assert bool((found < -80).all())
    (gradient,) = torch.autograd.grad(found.sum(), exponent)
    assert bool((gradient == 0).all())
