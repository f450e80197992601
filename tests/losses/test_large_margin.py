"""Large-margin softmax against loops in float64 written from the paper of Liu et al. (2016)."""

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.functional import cross_entropy

from supcon.losses import large_margin_loss
from supcon.losses.large_margin import widened_cosine


def psi(theta: float, margin: int) -> float:
    """Eq. 6: (-1)^k cos(m theta) - 2k for theta in [k pi / m, (k + 1) pi / m]."""
    k = next(k for k in range(margin) if theta <= (k + 1) * math.pi / margin + 1e-12)
    return float((-1) ** k * math.cos(margin * theta) - 2 * k)


def slow_loss(x: Tensor, w: Tensor, labels: list[int], margin: int, plain: float) -> float:
    total = 0.0
    for row, label in zip(x, labels, strict=True):
        logits = [float(row @ column) for column in w]
        norms = float(row.norm() * w[label].norm())
        theta = math.acos(max(-1.0, min(1.0, logits[label] / norms)))
        logits[label] = norms * (plain * math.cos(theta) + psi(theta, margin)) / (1 + plain)
        total += math.log(sum(math.exp(logit) for logit in logits)) - logits[label]
    return total / len(labels)


def numbers(seed: int, rows: int = 7, classes: int = 4) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, 5, dtype=torch.float64, generator=generator)
    w = torch.randn(classes, 5, dtype=torch.float64, generator=generator)
    return x, w, torch.randint(0, classes, (rows,), generator=generator)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.sampled_from([0.0, 0.5, 30.0]))
def test_it_is_the_paper_s_equation(seed: int, margin: int, plain: float) -> None:
    x, w, labels = numbers(seed)
    found = large_margin_loss(x, w, labels, margin=margin, plain=plain).item()
    assert found == pytest.approx(slow_loss(x, w, labels.tolist(), margin, plain), rel=1e-10)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_a_margin_of_one_is_plain_softmax(smoothing: float) -> None:
    x, w, labels = numbers(0)
    expected = cross_entropy(x @ w.t(), labels, label_smoothing=smoothing)
    assert torch.allclose(large_margin_loss(x, w, labels, margin=1, label_smoothing=smoothing), expected, rtol=1e-12)


@pytest.mark.parametrize("margin", [2, 3, 4])
def test_the_widened_cosine_falls_all_the_way_without_a_jump(margin: int) -> None:
    theta = torch.linspace(0, math.pi, 2001, dtype=torch.float64)
    values = widened_cosine(theta.cos(), margin)
    steps = values.diff()
    assert values[0] == 1
    assert values[-1] == 1 - 2 * margin
    assert (steps < 1e-9).all()
    assert steps.abs().max() < 1.01 * margin * math.pi / 2000


def test_a_margin_makes_the_loss_larger() -> None:
    x, w, labels = numbers(1)
    losses = [large_margin_loss(x, w, labels, margin=margin).item() for margin in (1, 2, 3, 4)]
    assert losses == sorted(losses)
    assert losses[0] < losses[-1]


def test_gradients_are_right_and_finite_at_the_ends() -> None:
    x, w, labels = numbers(2)
    torch.autograd.gradcheck(lambda a, b: large_margin_loss(a, b, labels), (x.requires_grad_(), w.requires_grad_()))
    straight = torch.tensor([[2.0, 0.0], [-2.0, 0.0], [0.0, 0.0]], requires_grad=True)
    weight = torch.eye(2, requires_grad=True)
    large_margin_loss(straight, weight, torch.zeros(3, dtype=torch.int64)).backward()
    assert straight.grad is not None
    assert straight.grad.isfinite().all()
    assert weight.grad is not None
    assert weight.grad.isfinite().all()


def test_it_is_float32_under_autocast() -> None:
    x, w, labels = numbers(3)
    with torch.autocast("cpu", torch.bfloat16):
        found = large_margin_loss(x.bfloat16(), w.float(), labels)
    expected = large_margin_loss(x.bfloat16().float(), w.float(), labels)
    assert found.dtype == torch.float32
    assert torch.equal(found, expected)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"representations": torch.ones(7)}, r"representations must have shape \[row, width\]"),
        ({"weight": torch.ones(4, 6)}, r"with the same width, got \[7, 5\] and \[4, 6\]"),
        ({"labels": torch.zeros(3, dtype=torch.int64)}, r"labels must be int64 of shape \[7\], got torch.int64 \[3\]"),
        ({"labels": torch.zeros(7)}, r"labels must be int64 of shape \[7\], got torch.float32"),
        ({"margin": 0}, "margin must be a whole number from 1 up, got 0"),
        ({"margin": 2.5}, "margin must be a whole number from 1 up, got 2.5"),
        ({"plain": -1.0}, "plain must be a number from 0 up, got -1.0"),
    ],
)
def test_bad_input_is_named(changed: dict[str, Any], sentence: str) -> None:
    x, w, labels = numbers(4)
    with pytest.raises(ValueError, match=sentence):
        large_margin_loss(**({"representations": x, "weight": w, "labels": labels} | changed))
