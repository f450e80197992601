"""The four sums over positives: their formulas, their derivatives by autograd, and adding up tiles."""

import pytest
import torch
from torch import Tensor

from supcon.losses.engine.positive_sums import POSITIVE_SUMS

FORMULAS = {
    "similarity": lambda s, w, n: (w * s).sum(1),
    "log_sum_exp": lambda s, w, n: (w * s.exp()).sum(1).log(),
    "one_positive_out": lambda s, w, n: (w * (1 + (n - s).exp()).log()).sum(1),
    "one_positive_in": lambda s, w, n: (w / (1 + (n - s).exp())).sum(1).log(),
}
"""As the table in the module's docstring has them."""


def drawn(columns: int = 7) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    s = torch.randn(5, columns, dtype=torch.float64, generator=generator) * 3
    w = torch.rand(5, columns, dtype=torch.float64, generator=generator).mul(3).floor() / 2
    w[:, 0] = 1
    return s, w, torch.randn(5, 1, dtype=torch.float64, generator=generator)


@pytest.mark.parametrize("name", FORMULAS)
def test_values_and_derivatives_are_those_of_the_formula(name: str) -> None:
    s, w, n = drawn()
    kind = POSITIVE_SUMS[name]
    s.requires_grad_()
    expected = FORMULAS[name](s, w, n)
    value = kind.value(s.detach(), w, n)
    torch.testing.assert_close(value, expected)
    (derivative,) = torch.autograd.grad(expected.sum(), s)
    torch.testing.assert_close(kind.derivative(s.detach().clone(), w, n, value[:, None]), derivative)


@pytest.mark.parametrize("name", FORMULAS)
def test_tiles_add_up_from_the_empty_sum(name: str) -> None:
    s, w, n = drawn()
    kind = POSITIVE_SUMS[name]
    total = torch.full((5,), kind.empty, dtype=torch.float64)
    for columns in (slice(0, 3), slice(3, 7)):
        total = kind.add(total, kind.value(s[:, columns], w[:, columns], n))
    torch.testing.assert_close(total, kind.value(s, w, n))


def test_all_sums_are_tested() -> None:
    assert set(FORMULAS) == set(POSITIVE_SUMS)
