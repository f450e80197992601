"""z = w / |w| and its derivatives, against autograd's own."""

import pytest
import torch
from torch.nn.functional import normalize

from supcon.losses.inputs.unit_norm import unit_norm


def test_values_and_two_derivatives() -> None:
    rows = (torch.randn(5, 4, dtype=torch.float64) * torch.tensor([[1e-3], [1], [5], [30], [1e3]])).requires_grad_()
    torch.testing.assert_close(unit_norm(rows), normalize(rows, dim=1))
    near_one = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(unit_norm, near_one)
    assert torch.autograd.gradgradcheck(unit_norm, near_one)


def test_a_row_of_zeros_stays_and_has_a_finite_gradient() -> None:
    rows = torch.zeros(2, 3, requires_grad=True)
    unit_norm(rows).sum().backward()
    assert unit_norm(rows).abs().max() == 0
    assert rows.grad is not None
    assert rows.grad.isfinite().all()


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_gradient_along_a_row_is_zero(scale: float) -> None:
    rows = (torch.randn(4, 8) * scale).requires_grad_()
    (gradient,) = torch.autograd.grad((unit_norm(rows) * torch.randn(4, 8)).sum(), rows)
    along = (gradient * rows).sum(1) / (gradient.norm(dim=1) * rows.norm(dim=1))
    assert along.abs().max() < 1e-5


def test_torch_func_can_take_its_gradient() -> None:
    rows, direction = torch.randn(3, 4), torch.randn(3, 4)
    found = torch.func.grad(lambda w: (unit_norm(w) * direction).sum())(rows)
    expected = torch.func.grad(lambda w: (normalize(w, dim=1) * direction).sum())(rows)
    torch.testing.assert_close(found, expected)
