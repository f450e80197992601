"""Thirty steps of every optimizer against the authors' own, by the numbers in `references/published`."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from references.published_tables import read_table
from supcon.stages.optimization.optimizers import make_optimizer

STEPS = 30
OPTIONS: dict[str, dict[str, Any]] = {
    "lars": {"name": "lars", "weight_decay": 0.01},
    "rmsprop": {"name": "rmsprop", "weight_decay": 0.01},
    "momentum": {"name": "sgd", "weight_decay": 0.01},
    "nesterov": {"name": "sgd", "weight_decay": 0.01, "nesterov": True},
    # The authors' Adam has no decay beside it; without one AdamW is Adam.
    "adam": {"name": "adamw", "weight_decay": 0.0},
}


class Parts(nn.Module):
    """A kernel, its bias and a norm's scale, with the table's first values."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.norm = nn.Linear(2, 3), nn.BatchNorm1d(3)
        kernel = torch.tensor([0.5, -0.25, 1.0, -0.75, 0.125, 2.0]).view(2, 3)
        self.layer.weight.data = kernel.T.contiguous()  # TensorFlow's kernels are [in, out]
        self.layer.bias.data = torch.tensor([0.1, -0.2, 0.3])
        self.norm.bias.requires_grad_(False)

    def values(self) -> Tensor:
        return torch.cat([self.layer.weight.T.flatten(), self.layer.bias, self.norm.weight]).detach()


def gradient(step: int, tensor: int, count: int) -> Tensor:
    return torch.tensor([math.sin(1.7 * step + 0.9 * i + tensor) / (1 + i) for i in range(count)])


@pytest.mark.parametrize("name", OPTIONS)
def test_thirty_steps_are_the_authors(name: str) -> None:
    parts, options = Parts(), OPTIONS[name]
    optimizer = make_optimizer([parts], lr=1.0, momentum=0.9, decayed="weights-and-biases", **options)
    rows = [row for row in read_table("optimizer_steps") if row["optimizer"] == name]
    assert len(rows) == STEPS
    for step, row in enumerate(rows):
        for group in optimizer.param_groups:
            group["lr"] = 0.05 * (1 + math.cos(math.pi * step / STEPS))
        parts.layer.weight.grad = gradient(step, 0, 6).view(2, 3).T.contiguous()
        parts.layer.bias.grad = gradient(step, 1, 3)
        parts.norm.weight.grad = gradient(step, 2, 3)
        optimizer.step()
        expected = [float(value) for key, value in row.items() if key not in ("optimizer", "step")]
        np.testing.assert_allclose(parts.values().numpy(), expected, rtol=2e-5, atol=5e-6)


def test_every_optimizer_has_its_rows() -> None:
    assert {row["optimizer"] for row in read_table("optimizer_steps")} == set(OPTIONS)
