import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.optim import SGD, AdamW
from torch.optim.lr_scheduler import CosineAnnealingLR

from supcon.encoder.small_resnet import SmallResNet
from supcon.stages.optimizers import make_optimizer, make_schedule, warmup_cosine


def test_weights_decay_and_biases_and_norms_do_not() -> None:
    network, head = SmallResNet(1, 4), nn.Linear(16, 3)
    decaying, flat = make_optimizer([network, head], "sgd", 0.1, 0.9, 1e-3).param_groups
    convolutions = [m.weight for m in network.modules() if isinstance(m, nn.Conv2d)]
    norms = [p for m in network.modules() if isinstance(m, nn.BatchNorm2d) for p in m.parameters()]
    assert {id(p) for p in decaying["params"]} == {id(p) for p in [*convolutions, head.weight]}
    assert {id(p) for p in flat["params"]} == {id(p) for p in [*norms, head.bias]}
    assert (decaying["weight_decay"], flat["weight_decay"]) == (1e-3, 0.0)


def test_every_parameter_is_there_once() -> None:
    modules = [SmallResNet(1, 4), nn.Linear(16, 3)]
    found = [id(p) for group in make_optimizer(modules, "sgd", 0.1, 0.9, 1e-3).param_groups for p in group["params"]]
    assert sorted(found) == sorted(id(p) for module in modules for p in module.parameters())


def test_frozen_parameters_are_left_out() -> None:
    frozen, head = nn.Linear(2, 2).requires_grad_(False), nn.Linear(2, 2)
    groups = make_optimizer([frozen, head], "sgd", 0.1, 0.9, 0.0).param_groups
    assert [len(group["params"]) for group in groups] == [1, 1]


@pytest.mark.parametrize(("name", "kind"), [("sgd", SGD), ("adamw", AdamW)])
def test_the_optimizer_that_was_named(name: str, kind: type) -> None:
    optimizer = make_optimizer([nn.Linear(2, 2)], name, 0.3, 0.8, 0.01)  # type: ignore[arg-type]
    assert type(optimizer) is kind
    assert all(group["lr"] == 0.3 for group in optimizer.param_groups)
    assert all(group.get("momentum", 0.8) == 0.8 for group in optimizer.param_groups)


def test_one_step_of_sgd_by_hand() -> None:
    layer = nn.Linear(1, 1)
    nn.init.constant_(layer.weight, 2.0)
    nn.init.constant_(layer.bias, 1.0)
    optimizer = make_optimizer([layer], "sgd", lr=0.1, momentum=0.5, weight_decay=0.25)
    for _ in range(2):
        optimizer.zero_grad()
        layer(torch.ones(1, 1)).sum().backward()  # both gradients are 1
        optimizer.step()
    # Weight: v = 1 + 0.25 * 2 = 1.5, w = 1.85; v = 0.5 * 1.5 + 1 + 0.25 * 1.85, w = 1.85 - 0.1 v. Bias: no decay.
    assert layer.weight.item() == pytest.approx(1.85 - 0.1 * (0.75 + 1 + 0.25 * 1.85))
    assert layer.bias.item() == pytest.approx(1 - 0.1 * 1 - 0.1 * 1.5)


@given(st.floats(0.5, 50), st.integers(60, 500), st.integers(0, 499))
def test_the_course_is_the_formula(warmup: float, total: int, step: int) -> None:
    step = min(step, total)
    angle = math.pi * (step - warmup) / (total - warmup)
    expected = step / warmup if step < warmup else (1 + math.cos(angle)) / 2
    assert warmup_cosine(step, warmup, total) == pytest.approx(expected, abs=1e-12)


@given(st.floats(0, 50), st.integers(51, 500))
def test_the_course_rises_to_one_and_falls_to_zero(warmup: float, total: int) -> None:
    shares = [warmup_cosine(step, warmup, total) for step in range(total + 1)]
    peak = math.ceil(warmup)
    assert shares[:peak] == sorted(shares[:peak])
    assert shares[peak:] == sorted(shares[peak:], reverse=True)
    assert all(0 <= share <= 1 for share in shares)
    assert shares[-1] == pytest.approx(0, abs=1e-12)
    assert shares[0] == (1 if warmup == 0 else 0)


def test_without_warm_up_it_is_torchs_cosine() -> None:
    ours, theirs = (SGD([torch.zeros(1, requires_grad=True)], lr=0.4) for _ in range(2))
    schedules = make_schedule(ours, 0, 20), CosineAnnealingLR(theirs, T_max=20)
    for _ in range(20):
        assert ours.param_groups[0]["lr"] == pytest.approx(theirs.param_groups[0]["lr"], abs=1e-12)
        for optimizer, schedule in zip((ours, theirs), schedules, strict=True):
            optimizer.step()
            schedule.step()


def test_both_groups_follow_the_schedule() -> None:
    optimizer = make_optimizer([nn.Linear(2, 2)], "sgd", 0.2, 0.9, 0.1)
    schedule = make_schedule(optimizer, 2, 6)
    found = []
    for _ in range(6):
        found.append([group["lr"] for group in optimizer.param_groups])
        optimizer.step()
        schedule.step()
    expected = [0.2 * warmup_cosine(step, 2, 6) for step in range(6)]
    assert found == [[pytest.approx(lr)] * 2 for lr in expected]
