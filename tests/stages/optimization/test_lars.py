"""LARS by hand, and with gradients that are zero or missing."""

import torch
from torch import nn

from supcon.stages.optimization.lars import LARS


def test_one_step_of_lars_by_hand() -> None:
    weight = nn.Parameter(torch.tensor([[3.0, 4.0]]))
    weight.grad = torch.tensor([[0.0, 2.0]])
    LARS([weight], lr=0.5, weight_decay=0.5, trust=0.1).step()
    # g = [1.5, 4], |g| = sqrt(18.25), |w| = 5: the step is 0.5 * 0.1 * 5 / |g| * g.
    expected = torch.tensor([[3.0, 4.0]]) - 0.25 / 18.25**0.5 * torch.tensor([[1.5, 4.0]])
    assert torch.allclose(weight, expected)


def test_lars_with_a_gradient_of_zero_keeps_its_momentum_and_stays_finite() -> None:
    weight = nn.Parameter(torch.ones(2, 2))
    optimizer = LARS([weight], lr=1.0, momentum=0.5)
    moved = []
    for gradient in (torch.ones(2, 2), torch.zeros(2, 2)):
        before = weight.detach().clone()
        weight.grad = gradient
        optimizer.step()
        moved.append(weight.detach() - before)
    assert torch.allclose(moved[1], 0.5 * moved[0], atol=1e-7)


def test_lars_leaves_gradients_and_what_has_none_alone() -> None:
    used, unused = nn.Parameter(torch.ones(2, 2)), nn.Parameter(torch.ones(2, 2))
    used.grad = torch.ones(2, 2)
    LARS([used, unused], lr=1.0, weight_decay=0.1).step()
    assert torch.equal(used.grad, torch.ones(2, 2))
    assert torch.equal(unused, torch.ones(2, 2))


def test_lars_gives_back_what_its_closure_gives() -> None:
    weight = nn.Parameter(torch.ones(2, 2))

    def closure() -> torch.Tensor:
        weight.grad = None
        loss = weight.square().sum()
        loss.backward()  # needs gradients switched on
        return loss

    assert LARS([weight], lr=1.0).step(closure).item() == 4.0
