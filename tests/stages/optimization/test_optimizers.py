from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from references import optimizer_steps as slow
from supcon.stages.optimization.optimizers import make_optimizer

RATES = (0.5, 0.5, 0.1, 0.4, 0.02)  # rates that change, so that it counts whether they stand inside the momentum
DECAY = 0.05


class Parts(nn.Module):
    """A weight, a bias, and a norm's scale and shift, in float64."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer, self.norm = nn.Linear(4, 3).double(), nn.BatchNorm1d(3).double()
        nn.init.normal_(self.norm.weight)
        nn.init.zeros_(self.layer.bias)  # LARS: no norm, so its ratio is 1 at the first step


def follow(optimizer: Any, parts: Parts, references: dict[str, slow.Step]) -> None:
    """Gives both the same gradients at the same rates and compares after every step."""
    expected = {name: value.detach().numpy().copy() for name, value in parts.named_parameters()}
    generator = np.random.default_rng(1)
    for rate in RATES:
        for group in optimizer.param_groups:
            group["lr"] = rate
        for name, parameter in parts.named_parameters():
            gradient = generator.normal(size=tuple(parameter.shape))
            parameter.grad = torch.from_numpy(gradient.copy())
            expected[name] = references[name](expected[name], gradient, rate)
        optimizer.step()
        for name, parameter in parts.named_parameters():
            np.testing.assert_allclose(parameter.detach().numpy(), expected[name], rtol=1e-10, atol=1e-12)


def by_kind(make: Callable[[bool], slow.Step], decayed: str = "weights-and-biases") -> dict[str, slow.Step]:
    """A reference for each parameter of `Parts`; `make(decays)`."""
    decays = {"weights": ["layer.weight"], "weights-and-biases": ["layer.weight", "layer.bias"]}
    return {name: make(decayed == "all" or name in decays[decayed]) for name, _ in Parts().named_parameters()}


@pytest.mark.parametrize("decayed", ["weights", "weights-and-biases", "all"])
@pytest.mark.parametrize("decay", [0.0, DECAY])
def test_lars_adapts_and_decays_what_is_named_and_nothing_else(decayed: Any, decay: float) -> None:
    parts = Parts()
    optimizer = make_optimizer([parts], "lars", 0.5, momentum=0.8, weight_decay=decay, decayed=decayed, lars_trust=0.1)
    follow(optimizer, parts, by_kind(lambda decays: slow.lars(0.8, decay * decays, 0.1, decays), decayed))


def test_rmsprop_is_tensorflows() -> None:
    parts = Parts()
    optimizer = make_optimizer(
        [parts], "rmsprop", 0.5, momentum=0.8, weight_decay=DECAY, rmsprop_rho=0.7, rmsprop_epsilon=0.01
    )
    follow(optimizer, parts, by_kind(lambda decays: slow.rmsprop(0.8, DECAY * decays, 0.7, 0.01), "weights"))


@pytest.mark.parametrize("nesterov", [False, True])
def test_sgd(nesterov: bool) -> None:
    parts = Parts()
    optimizer = make_optimizer([parts], "sgd", 0.5, momentum=0.8, nesterov=nesterov, weight_decay=DECAY, decayed="all")
    follow(optimizer, parts, by_kind(lambda decays: slow.sgd(0.8, DECAY * decays, nesterov), "all"))


def test_adamw() -> None:
    parts = Parts()
    optimizer = make_optimizer([parts], "adamw", 0.5, weight_decay=DECAY)
    follow(optimizer, parts, by_kind(lambda decays: slow.adamw(DECAY * decays), "weights"))


@pytest.mark.parametrize("name", ["lars", "rmsprop", "sgd", "adamw"])
def test_a_saved_optimizer_goes_on_bit_for_bit(name: Any) -> None:
    def train(steps: int, state: Any = None, parts: Any = None) -> tuple[Parts, Any]:
        parts = parts or Parts()
        optimizer = make_optimizer([parts], name, 0.1, weight_decay=DECAY)
        if state is not None:
            optimizer.load_state_dict(state)
        for _ in range(steps):
            optimizer.zero_grad()
            parts.norm(parts.layer(torch.arange(8.0).double().view(2, 4))).square().sum().backward()
            optimizer.step()
        return parts, optimizer.state_dict()

    straight, _ = train(4)
    half, state = train(2)
    resumed, _ = train(2, state, half)
    assert all(torch.equal(a, b) for a, b in zip(straight.parameters(), resumed.parameters(), strict=True))
