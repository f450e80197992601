"""Runs that go wrong: what stops them, what is said, what is kept."""

import math
import re
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from lightning import LightningModule, Trainer
from torch import nn

from references.whole_stages import Stages
from supcon.base.errors import TrainingFailedError
from supcon.stages.callbacks.alarms import Collapse, LossAtEnd, SimilarNegatives, WatchLoss, refuse_gradient
from supcon.stages.config import OptimizerConfig
from supcon.stages.trainer.randomness import SeedSteps

MODULE = Mock(spec=LightningModule)


def trainer(precision: str = "32-true", **values: Any) -> Any:
    plugin = Mock(scaler=object() if precision == "16-mixed" else None)
    values = {"global_step": 17, "current_epoch": 0, "num_training_batches": 100, **values}
    return Mock(spec=Trainer, precision=precision, precision_plugin=plugin, checkpoint_callback=None, **values)


@pytest.mark.parametrize("loss", [math.nan, math.inf, -math.inf])
def test_a_loss_that_is_no_number_stops_the_work(loss: float) -> None:
    watch = WatchLoss()
    watch.on_train_epoch_start(trainer(), MODULE)
    watch.on_train_batch_end(trainer(), MODULE, {"loss": torch.tensor(1e30)}, None, 0)
    with pytest.raises(
        TrainingFailedError, match=rf"^The loss became {loss} at step 17: the learning rate is probably too high"
    ):
        watch.on_train_batch_end(trainer(), MODULE, {"loss": torch.tensor(loss)}, None, 1)


def test_a_gpu_is_not_waited_for_at_every_step_and_yet_nothing_is_missed() -> None:
    watch = WatchLoss()
    watch.on_train_epoch_start(trainer(), MODULE)
    watch.total = torch.zeros((), device="meta")  # a tensor whose value cannot be read, as reading it would wait
    loss = torch.zeros((), device="meta")
    for step in range(1, 16):
        watch.on_train_batch_end(trainer(), MODULE, {"loss": loss}, None, step)
    with pytest.raises((RuntimeError, NotImplementedError)):
        watch.on_train_batch_end(trainer(), MODULE, {"loss": loss}, None, 16)
    with pytest.raises((RuntimeError, NotImplementedError)):
        watch.on_train_batch_end(trainer(), MODULE, {"loss": loss}, None, 99)


def test_half_precision_is_the_likelier_cause_where_it_is_used() -> None:
    watch = WatchLoss()
    watch.on_train_epoch_start(trainer(), MODULE)
    with pytest.raises(TrainingFailedError, match=r"half precision has probably overflowed.*--precision bf16-mixed"):
        watch.on_train_batch_end(trainer("16-mixed"), MODULE, {"loss": torch.tensor(math.nan)}, None, 0)


def test_a_gradient_that_is_no_number_never_reaches_the_weights() -> None:
    with pytest.raises(
        TrainingFailedError, match=r"^The gradient became nan at step 17, with a learning rate of 0.5: "
    ):
        refuse_gradient(math.nan, trainer(), 0.5)
    refuse_gradient(1e30, trainer(), 0.5)
    refuse_gradient(math.inf, trainer("16-mixed"), 0.5)  # the scaler leaves such a step out


@pytest.mark.parametrize(("temperature", "cause"), [(1e-30, "the temperature 1e-30 is too low"), (0.1, "the learning")])
def test_a_tiny_temperature_is_the_likelier_cause(temperature: float, cause: str) -> None:
    module = Mock(loss=Mock(temperature=temperature))
    with pytest.raises(TrainingFailedError, match=rf"with a learning rate of 0: {cause}.*start another run"):
        refuse_gradient(math.inf, trainer(lightning_module=module, global_step=0), 0.0)


class Spoils(SeedSteps):
    """Makes the weights of the third epoch useless."""

    def on_train_batch_start(self, trainer: Trainer, pl_module: Any, batch: object, batch_idx: int) -> None:
        super().on_train_batch_start(trainer, pl_module, batch, batch_idx)
        if trainer.current_epoch == 2:
            pl_module.projection.layers[0].weight.data.fill_(math.nan)


def test_the_last_good_checkpoint_is_kept_and_named(stages: Stages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("supcon.stages.run_context.SeedSteps", Spoils)
    checkpoint = stages.folder / "stage1" / "checkpoints" / "last.ckpt"
    words = f"The checkpoint of epoch 2, the last good one, is kept in {checkpoint}."
    with pytest.raises(TrainingFailedError, match=re.escape(words)):
        stages.pretrain(epochs=4)
    kept = torch.load(checkpoint, weights_only=True)
    assert kept["epoch"] == 1
    assert all(value.isfinite().all() for value in kept["state_dict"].values())
    assert list(stages.rows("stage1")) == [1, 2]


# Collapse


def looks(similarities: list[float], **options: Any) -> Collapse:
    collapse = Collapse(**options)
    for step, similarity in enumerate(similarities):
        collapse.update(similarity, step)
    return collapse


def test_projections_that_stay_the_same_stop_the_work() -> None:
    with pytest.raises(
        TrainingFailedError, match=r"^The encoder has collapsed: at step 24 .*similarity 0.99995.*learning rate"
    ):
        looks([0.9] * 5 + [0.99995] * 30)


@pytest.mark.parametrize(
    "similarities", [[0.99995] * 19, ([0.99995] * 19 + [0.99]) * 5, [0.99] * 200], ids=["short", "interrupted", "fresh"]
)
def test_other_courses_go_on(similarities: list[float]) -> None:
    looks(similarities)


def test_a_warm_up_is_waited_for() -> None:
    looks([1.0] * 60, warmup_steps=50)
    with pytest.raises(TrainingFailedError):
        looks([1.0] * 80, warmup_steps=50)


def start_collapsed(stages: Stages) -> None:
    """Makes the stages start from a projection that gives every image the same direction."""
    real = stages.make_parts

    def collapsed(seed: int) -> Any:
        encoder, projection, classifier = real(seed)
        nn.init.zeros_(projection.layers[2].weight)
        return encoder, projection, classifier

    stages.make_parts = collapsed


def test_a_collapsed_encoder_stops_a_stage(stages: Stages) -> None:
    start_collapsed(stages)
    with pytest.raises(TrainingFailedError, match="The encoder has collapsed"):
        stages.pretrain(epochs=9, lr=1e-12)  # so small a step that nothing moves
    assert list(stages.rows("stage1")) == [1, 2, 3, 4, 5, 6]  # three steps an epoch, twenty looks after the first


def test_a_warm_up_longer_than_the_run_is_cut_as_in_the_schedule(stages: Stages) -> None:
    start_collapsed(stages)
    optimizer = OptimizerConfig(name="adamw", lr=1e-12, warmup_epochs=100)
    with pytest.raises(TrainingFailedError, match="The encoder has collapsed: at step 42 "):
        stages.pretrain(epochs=15, optimizer=optimizer)  # three steps an epoch: a warm-up of 22.5, then twenty checks


# Similar negatives


def test_similar_negatives_are_said_once_after_the_warm_up(capsys: pytest.CaptureFixture[str]) -> None:
    similar_negatives = SimilarNegatives("change this", warmup_steps=10)
    for step in range(1, 30):
        similar_negatives.update(0.95, step)
    assert capsys.readouterr().err == (
        "Negatives have a mean similarity of 0.95 at step 11, after the warm-up, so the encoder learns slowly; change "
        "this.\n"
    )


def test_negatives_that_are_apart_after_the_warm_up_are_not_mentioned(capsys: pytest.CaptureFixture[str]) -> None:
    similar_negatives = SimilarNegatives("change this", warmup_steps=10)
    for step, similarity in ((5, 0.99), (11, 0.2), (12, 0.95)):
        similar_negatives.update(similarity, step)
    assert not capsys.readouterr().err


# A loss that says at the end that nothing was learned


def end(loss: float, chance_loss: float, *, contrastive: bool, epoch: int = 9) -> None:
    values: dict[str, Any] = {
        "current_epoch": epoch,
        "max_epochs": 10,
        "callback_metrics": {"train/loss": torch.tensor(loss)},
    }
    LossAtEnd("stage2", chance_loss, contrastive=contrastive).on_train_epoch_end(trainer(**values), MODULE)


@pytest.mark.parametrize("loss", [2.69, 2.71])
def test_a_contrastive_loss_at_its_value_of_collapse_is_named(loss: float, capsys: pytest.CaptureFixture[str]) -> None:
    end(loss, 2.708, contrastive=True)
    said = " ".join(capsys.readouterr().err.split())
    assert "it would be 2.708 if all embeddings were equal: the encoder has collapsed or has learned nothing" in said


@pytest.mark.parametrize("loss", [3.2, 1e20])
def test_a_contrastive_loss_above_that_of_collapse_is_no_collapse(
    loss: float, capsys: pytest.CaptureFixture[str]
) -> None:
    end(loss, 2.708, contrastive=True)
    said = " ".join(capsys.readouterr().err.split())
    assert "collapsed" not in said
    assert "it would be 2.708 if all embeddings were equal: they differ, but the encoder has hardly learned yet" in said


@pytest.mark.parametrize(
    ("loss", "chance_loss", "contrastive", "epoch"),
    [(2.5, 2.708, True, 9), (2.708, 2.708, True, 8), (2.4, 2.303, False, 9), (20.0, 2.303, False, 9)],
)
def test_other_losses_are_not_mentioned(
    loss: float, chance_loss: float, contrastive: bool, epoch: int, capsys: pytest.CaptureFixture[str]
) -> None:
    end(loss, chance_loss, contrastive=contrastive, epoch=epoch)
    assert not capsys.readouterr().err


def test_a_cross_entropy_far_above_that_of_no_knowledge_is_named_or_fails(capsys: pytest.CaptureFixture[str]) -> None:
    words = "is 50, that of a classifier that knows nothing 2.303: the learning rate is too high"
    end(50.0, 2.303, contrastive=False)
    assert words in " ".join(capsys.readouterr().err.split())
    with pytest.raises(TrainingFailedError, match=r"of stage2 is 1\.4e\+29, .*with a lower --stage2\.optimizer\.lr\."):
        end(1.4e29, 2.303, contrastive=False)


def test_whole_stages_with_useless_learning_rates(stages: Stages, capsys: pytest.CaptureFixture[str]) -> None:
    start_collapsed(stages)
    stages.pretrain(epochs=2, lr=1e-12)
    assert "the encoder has collapsed or has learned nothing" in " ".join(capsys.readouterr().err.split())
    rate = OptimizerConfig(lr=1e30, weight_decay=0.0)
    with pytest.raises(TrainingFailedError, match="The loss of the last epoch of stage2 is "):
        stages.classify(epochs=2, optimizer=rate)
    with pytest.raises(TrainingFailedError, match="The loss of the last epoch of stage2 is "):
        stages.classify("cached", epochs=2, optimizer=rate, cached=True)


def test_stages_that_learn_are_not_mentioned(stages: Stages, capsys: pytest.CaptureFixture[str]) -> None:
    stages.pretrain(epochs=3)
    stages.cross_entropy("baseline", epochs=3)
    stages.classify(epochs=3)
    assert "The loss of the last epoch" not in " ".join(capsys.readouterr().err.split())
