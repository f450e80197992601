"""What a stage writes down of itself besides its loss."""

import math
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from lightning import Callback, LightningModule, Trainer
from torch import nn

from references.whole_stages import Stages, equal, weights
from supcon.stages.callbacks.diagnostics import Diagnostics, _finite_mean, gradient_norm, is_sampled


@pytest.mark.parametrize(("steps", "expected"), [(1, 1), (7, 7), (20, 20), (100, 21), (5000, 101)])
def test_a_few_steps_of_every_epoch_are_looked_at(steps: int, expected: int) -> None:
    sampled = [step for step in range(steps) if is_sampled(step, steps)]
    assert len(sampled) == expected
    assert sampled[0] == 0
    assert sampled[-1] == steps - 1


def test_the_norm_is_that_of_all_gradients_together() -> None:
    module: Any = nn.Linear(3, 2)
    module.weight.grad, module.bias.grad = torch.full((2, 3), 2.0), torch.full((2,), 5.0)
    assert gradient_norm(module) == pytest.approx((6 * 4 + 2 * 25) ** 0.5)


def test_steps_that_overflowed_in_16_bits_are_left_out_of_the_mean() -> None:
    assert _finite_mean([1.0, math.inf, 3.0, math.nan]) == 2.0
    assert math.isnan(_finite_mean([math.inf]))


def test_a_contrastive_stage_says_how_its_projections_lie(stages: Stages) -> None:
    stages.pretrain(epochs=3)
    for row in stages.rows("stage1").values():
        assert row.keys() >= {"lr", "seconds", "images_per_second", "train/uniformity", "train/gradient_norm"}
        assert row["train/alignment"] == pytest.approx(2 - 2 * row["train/positive_similarity"], abs=1e-5)
        assert -1 <= row["train/negative_similarity"] <= row["train/positive_similarity"] + 0.05
        assert row["images_per_second"] == pytest.approx(36 / row["seconds"], rel=1e-4)
    rows = stages.rows("stage1")
    assert rows[1]["lr"] > rows[2]["lr"] > rows[3]["lr"] > 0  # warmed up in half an epoch, then a cosine


@pytest.mark.parametrize("stage", ["classify", "cross_entropy"])
def test_other_stages_have_no_projections(stages: Stages, stage: str) -> None:
    getattr(stages, stage)("here")
    assert all("train/alignment" not in row and row["train/gradient_norm"] > 0 for row in stages.rows("here").values())


def test_looking_changes_nothing(stages: Stages, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = weights(stages.pretrain("watched"))
    monkeypatch.setattr("supcon.stages.stage1.Diagnostics", lambda *_: Callback())
    assert equal(watched, weights(stages.pretrain("alone")))


class OneWeight(LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(3))


def test_loggers_get_every_step_that_is_sampled() -> None:
    logger, figures, module = Mock(), Diagnostics(), OneWeight()
    trainer: Any = Mock(spec=Trainer, num_training_batches=2, global_step=7, loggers=[logger])
    module.weight.sum().backward()
    figures.on_train_epoch_start(trainer, module)
    figures.on_train_batch_start(trainer, module, None, 0)
    figures.on_before_optimizer_step(trainer, module, torch.optim.SGD(module.parameters(), lr=0.25))
    figures.on_train_batch_end(trainer, module, {"loss": torch.tensor(1.5)}, None, 0)
    values, step = logger.log_metrics.call_args.args
    assert step == 7
    assert values == {"step/loss": 1.5, "step/lr": 0.25, "step/gradient_norm": pytest.approx(3**0.5)}
