import math
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.optim import SGD
from torch.optim.lr_scheduler import CosineAnnealingLR, MultiStepLR

from supcon.stages.optimization.schedules import Schedule, make_schedule


@given(st.integers(1, 50), st.integers(60, 500), st.integers(0, 499), st.floats(0, 0.5))
def test_the_cosine_is_the_formula(warmup: int, total: int, step: int, end: float) -> None:
    step = min(step, total)
    course = Schedule(total_steps=total, steps_per_epoch=10, warmup_epochs=warmup / 10, end=end)
    warmup_steps = min(warmup, total / 2)
    angle = math.pi * (step - warmup_steps) / (total - warmup_steps)
    expected = step / warmup_steps if step < warmup_steps else end + (1 - end) * (1 + math.cos(angle)) / 2
    assert course(step) == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 50), st.integers(101, 500))
def test_the_cosine_rises_to_one_and_falls_to_zero(warmup: int, total: int) -> None:
    course = Schedule(total_steps=total, steps_per_epoch=1, warmup_epochs=warmup)
    shares = [course(step) for step in range(total + 1)]
    assert shares[:warmup] == sorted(shares[:warmup])
    assert shares[warmup:] == sorted(shares[warmup:], reverse=True)
    assert shares[warmup] == 1
    assert shares[-1] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("step", "share"),
    [(0, 0.0), (6, 0.5), (12, 1.0), (16, 1.0), (17, 0.97), (21, 0.97), (22, 0.97**2), (112, 0.97**20)],
)
def test_the_exponential_falls_in_stairs_from_the_end_of_the_warm_up(step: int, share: float) -> None:
    course = Schedule(total_steps=200, steps_per_epoch=10, name="exponential", warmup_epochs=1.2)
    assert course(step) == pytest.approx(share)


def test_a_stair_may_be_a_fraction_of_a_step() -> None:
    course = Schedule(total_steps=20, steps_per_epoch=0.5, name="exponential", decay_rate=0.5, decay_every=1)
    assert [course(step) for step in range(3)] == [1, 0.25, 0.0625]


@pytest.mark.parametrize(("epochs", "steps"), [(0.1, 3), (0.3, 10), (0.7, 7), (1.1, 9)])
def test_stairs_of_odd_lengths_are_as_long_as_they_should_be(epochs: float, steps: int) -> None:
    """3 * 0.1 is above 0.3 in floating point: stairs must not begin a step late for that."""
    course = Schedule(total_steps=999, steps_per_epoch=steps, name="exponential", decay_rate=0.5, decay_every=epochs)
    length = round(epochs * 10) * steps  # of ten stairs, in steps
    assert [course(length * k) for k in range(1, 6)] == [0.5 ** (10 * k) for k in range(1, 6)]


@pytest.mark.parametrize(("step", "share"), [(599, 1), (600, 0.2), (749, 0.2), (750, 0.04), (900, 0.008), (999, 0.008)])
def test_steps_are_at_the_authors_epochs(step: int, share: float) -> None:
    course = Schedule(total_steps=1000, steps_per_epoch=10, name="step", decay_rate=0.2, decay_at=(60, 75, 90))
    assert course(step) == pytest.approx(share)


def test_constant_stays_after_the_warm_up() -> None:
    course = Schedule(total_steps=100, steps_per_epoch=10, name="constant", warmup_epochs=1)
    assert [course(step) for step in (0, 5, 10, 55, 99)] == [0, 0.5, 1, 1, 1]


@pytest.mark.parametrize("name", ["cosine", "exponential", "step", "constant"])
def test_a_warm_up_takes_at_most_half_of_a_run(name: Any) -> None:
    course = Schedule(total_steps=10, steps_per_epoch=10, name=name, warmup_epochs=12, decay_at=(3,))
    assert course.warmup_steps == 5
    assert course(5) == 1


def test_it_is_what_torch_has_where_torch_has_it() -> None:
    makers: list[tuple[Schedule, Any]] = [
        (Schedule(total_steps=20, steps_per_epoch=1), lambda sgd: CosineAnnealingLR(sgd, T_max=20)),
        (
            Schedule(total_steps=20, steps_per_epoch=2, name="step", decay_rate=0.1, decay_at=(3, 7)),
            lambda sgd: MultiStepLR(sgd, milestones=[6, 14]),
        ),
    ]
    for course, make in makers:
        ours, theirs = (SGD([torch.zeros(1, requires_grad=True)], lr=0.4) for _ in range(2))
        schedules = make_schedule(ours, course), make(theirs)
        for _ in range(20):
            assert ours.param_groups[0]["lr"] == pytest.approx(theirs.param_groups[0]["lr"], abs=1e-12)
            for optimizer, schedule in zip((ours, theirs), schedules, strict=True):
                optimizer.step()
                schedule.step()


def test_every_group_follows_the_schedule() -> None:
    groups = [{"params": [torch.zeros(1, requires_grad=True)], "lr": lr} for lr in (0.2, 0.4)]
    optimizer = SGD(groups, lr=1.0)
    course = Schedule(total_steps=6, steps_per_epoch=1, warmup_epochs=2)
    schedule = make_schedule(optimizer, course)
    for step in range(6):
        assert [group["lr"] for group in optimizer.param_groups] == pytest.approx(
            [0.2 * course(step), 0.4 * course(step)]
        )
        optimizer.step()
        schedule.step()
