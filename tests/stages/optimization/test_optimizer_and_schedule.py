from typing import Any

import pytest
from torch import nn

from supcon.stages.config import OptimizerConfig
from supcon.stages.optimization.lars import LARS
from supcon.stages.optimization.optimizer_and_schedule import Optimization


def configured(config: OptimizerConfig, **changes: Any) -> dict[str, Any]:
    values: dict[str, Any] = {"epochs": 10, "batch_size": 1024} | changes
    return Optimization(config, **values).configure([nn.Linear(2, 2)], 100)


@pytest.mark.parametrize(
    ("rule", "batch_size", "lr"), [("absolute", 6144, 0.4), ("batch", 6144, 9.6), ("batch", 64, 0.1)]
)
def test_the_learning_rate_follows_the_batch_only_when_asked(rule: Any, batch_size: int, lr: float) -> None:
    made = configured(OptimizerConfig(name="lars", lr=0.4, lr_rule=rule), batch_size=batch_size)
    assert isinstance(made["optimizer"], LARS)
    assert made["optimizer"].param_groups[0]["lr"] == pytest.approx(lr)


def test_every_value_arrives() -> None:
    config = OptimizerConfig(
        name="sgd",
        lr=0.3,
        momentum=0.7,
        nesterov=True,
        weight_decay=0.2,
        decayed="all",
        warmup_epochs=1,
        schedule="step",
        decay_rate=0.5,
        decay_at=(5,),
    )
    made = configured(config)
    group = made["optimizer"].param_groups[0]
    assert (group["momentum"], group["nesterov"], group["weight_decay"]) == (0.7, True, 0.2)
    assert len(group["params"]) == 2  # also the bias
    assert made["lr_scheduler"]["interval"] == "step"
    rates = []
    for _ in range(100):
        rates.append(group["lr"])
        made["optimizer"].step()
        made["lr_scheduler"]["scheduler"].step()
    assert rates == pytest.approx([0.03 * step for step in range(10)] + [0.3] * 40 + [0.15] * 50)


def test_rmsprop_and_lars_get_their_own_values() -> None:
    rmsprop = configured(OptimizerConfig(name="rmsprop", rmsprop_rho=0.8, rmsprop_epsilon=0.5))["optimizer"]
    assert (rmsprop.param_groups[0]["alpha"], rmsprop.param_groups[0]["eps"]) == (0.8, 0.5)
    lars = configured(OptimizerConfig(name="lars", lars_trust=0.02))["optimizer"]
    assert lars.param_groups[0]["trust"] == 0.02


@pytest.mark.parametrize(("schedule", "last"), [("cosine", 0.5), ("constant", 1.0), ("exponential", 0.97**19)])
def test_the_course_that_was_named(schedule: Any, last: float) -> None:
    made = configured(OptimizerConfig(lr=1.0, schedule=schedule, lr_end=0.5))
    for _ in range(99):
        made["optimizer"].step()
        made["lr_scheduler"]["scheduler"].step()
    assert made["optimizer"].param_groups[0]["lr"] == pytest.approx(last, rel=1e-3)
