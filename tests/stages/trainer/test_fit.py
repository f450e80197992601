"""Stages that are repeated, cut off and resumed."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from lightning import LightningModule, Trainer
from torch import nn

from references.whole_stages import EQUATION, Probe, Stages, checkpointed, equal, weights
from supcon.base.errors import WorkError
from supcon.losses import LossConfig
from supcon.stages.callbacks.training_progress import Seconds
from supcon.stages.trainer.checkpoints import last_checkpoint
from supcon.views import ViewsConfig


@pytest.mark.parametrize("stage", ["pretrain", "cross_entropy", "classify"])
def test_the_same_seed_gives_the_same_weights_and_another_does_not(stages: Stages, stage: str) -> None:
    run = getattr(stages, stage)
    first = weights(run("first"))
    torch.rand(7)  # nothing may depend on the state of the global generator
    assert equal(first, weights(run("again")))
    assert not equal(first, weights(run("other", seed=1)))


def test_workers_make_the_same_views_every_time(stages: Stages) -> None:
    views = ViewsConfig(augmentation="crop-flip", crop_area=(0.8, 1.0), engine="per-image")
    first, again = (weights(stages.pretrain(name, views=views)) for name in ("first", "again"))
    assert equal(first, again)
    assert not equal(first, weights(stages.pretrain("batched")))


class StoppedError(Exception):
    """A power cut."""


def stop_after(epochs: int) -> Probe:
    calls: list[None] = []

    def probe(encode: Any) -> Mapping[str, float]:
        calls.append(None)
        if len(calls) > epochs:
            raise StoppedError
        return {"validation/knn_top1": 0.5}

    return probe


class StopIn(Seconds):
    """Cuts the power at the start of an epoch."""

    epoch: int

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        super().on_train_epoch_start(trainer, pl_module)
        if trainer.current_epoch == self.epoch:
            raise StoppedError


@pytest.mark.parametrize("engine", ["batched", "per-image"])
def test_an_interrupted_stage_goes_on_as_if_nothing_had_happened(stages: Stages, engine: Any) -> None:
    views = ViewsConfig(augmentation="crop-flip", crop_area=(0.8, 1.0), engine=engine)
    steady = stop_after(99)
    whole = weights(stages.pretrain("whole", epochs=4, probe=steady, views=views))
    with pytest.raises(StoppedError):  # in the third epoch, after its steps and before its checkpoint
        stages.pretrain("cut", epochs=4, probe=stop_after(2), views=views)
    assert list(stages.rows("cut")) == [1, 2]
    assert equal(whole, weights(stages.pretrain("cut", epochs=4, probe=steady, views=views)))
    tables = {name: stages.rows(name) for name in ("whole", "cut")}
    for name in ("seconds", "images_per_second"):
        assert all(row.pop(name) > 0 for table in tables.values() for row in table.values())
    assert tables["cut"] == tables["whole"]
    assert list(tables["cut"]) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("method", "loss"),
    [("supcon", LossConfig(queue_size=30, queue_momentum=0.9)), ("joint", EQUATION), ("triplet", EQUATION)],
)
def test_queue_averages_and_classifier_go_on_as_well(stages: Stages, method: Any, loss: LossConfig) -> None:
    stages.train(method, "whole", epochs=3, loss=loss)
    with pytest.raises(StoppedError):
        stages.train(method, "cut", epochs=3, loss=loss, probe=stop_after(1))
    stages.train(method, "cut", epochs=3, loss=loss)
    whole, cut = (checkpointed(stages.folder / name) for name in ("whole", "cut"))
    assert equal(whole, cut)
    if loss.queue_size:
        assert {"queue.projections", "queue.next_slot", "momentum_encoder.projection.layers.0.weight"} <= set(whole)
        assert int(whole["queue.filled"]) == 30


@pytest.mark.parametrize("options", [{"cached": True}, {"encoder_lr": 0.05, "label_smoothing": 0.1}])
def test_both_other_kinds_of_stage_2_go_on_as_well(
    stages: Stages, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = weights(stages.classify("whole", epochs=3, **options))
    with monkeypatch.context() as patch:
        patch.setattr("supcon.stages.run_context.Seconds", StopIn)
        StopIn.epoch = 2
        with pytest.raises(StoppedError):
            stages.classify("cut", epochs=3, **options)
    assert equal(whole, weights(stages.classify("cut", epochs=3, **options)))


def test_dropout_micro_batches_and_a_queue_go_on_too(stages: Stages) -> None:
    real = stages.make_parts

    def with_dropout(seed: int) -> Any:
        encoder, projection, classifier = real(seed)
        encoder.network.stem.append(nn.Dropout(0.2))
        return encoder, projection, classifier

    stages.make_parts = with_dropout
    options: dict[str, Any] = {"epochs": 4, "micro_batch": 5, "loss": LossConfig(queue_size=30)}
    whole = weights(stages.pretrain("whole", probe=stop_after(99), **options))
    torch.rand(5)
    with pytest.raises(StoppedError):
        stages.pretrain("cut", probe=stop_after(2), **options)
    assert equal(whole, weights(stages.pretrain("cut", probe=stop_after(99), **options)))
    assert equal(checkpointed(stages.folder / "whole"), checkpointed(stages.folder / "cut"))


@pytest.mark.parametrize("stage", ["cross_entropy", "classify"])
def test_a_stage_interrupted_twice_goes_on_as_well(stages: Stages, stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = getattr(stages, stage)
    whole = weights(run("whole", epochs=3))
    with monkeypatch.context() as patch:
        patch.setattr("supcon.stages.run_context.Seconds", StopIn)
        for StopIn.epoch in (1, 2):
            with pytest.raises(StoppedError):
                run("cut", epochs=3)
    assert equal(whole, weights(run("cut", epochs=3)))


def test_a_finished_stage_is_loaded_and_not_trained_again(stages: Stages) -> None:
    first = weights(stages.pretrain(epochs=2))
    table = (stages.folder / "stage1" / "metrics.csv").read_text()
    assert equal(first, weights(stages.pretrain(epochs=2, probe=stop_after(0))))
    assert (stages.folder / "stage1" / "metrics.csv").read_text() == table


def test_only_the_last_two_checkpoints_are_kept(stages: Stages) -> None:
    stages.pretrain(epochs=3)
    files = sorted(path.relative_to(stages.folder).as_posix() for path in stages.folder.rglob("*") if path.is_file())
    assert files == ["stage1/checkpoints/last.ckpt", "stage1/checkpoints/previous.ckpt", "stage1/metrics.csv"]


def test_the_bar_is_closed_when_the_work_fails(stages: Stages, monkeypatch: pytest.MonkeyPatch) -> None:
    open_bars: list[str] = []

    @contextmanager
    def bar(description: str, total: int, unit: str = "", done: int = 0) -> Iterator[Callable[..., None]]:
        open_bars.append(description)
        yield lambda *_: None
        open_bars.remove(description)

    monkeypatch.setattr("supcon.stages.callbacks.training_progress.training_panel", bar)
    with pytest.raises(StoppedError):
        stages.pretrain(probe=stop_after(0))
    assert open_bars == []


def test_stopping_by_hand_reaches_the_command(stages: Stages) -> None:
    def stop(encode: Any) -> Mapping[str, float]:
        raise KeyboardInterrupt

    with pytest.raises((KeyboardInterrupt, SystemExit)) as caught:
        stages.pretrain(probe=stop)
    assert caught.type is KeyboardInterrupt


def test_a_damaged_checkpoint_costs_one_epoch_and_changes_nothing(stages: Stages) -> None:
    whole = weights(stages.pretrain(epochs=3))
    path = stages.folder / "stage1" / "checkpoints" / "last.ckpt"
    path.write_bytes(b"no checkpoint")
    assert equal(whole, weights(stages.pretrain(epochs=3)))
    assert last_checkpoint(stages.folder / "stage1") == (path, 3)


@pytest.mark.parametrize("content", [b"", b"no checkpoint"])
def test_a_damaged_checkpoint_without_another_is_named(stages: Stages, content: bytes) -> None:
    stages.pretrain(epochs=1)
    path = stages.folder / "stage1" / "checkpoints" / "last.ckpt"
    path.write_bytes(content)
    with pytest.raises(WorkError, match=str(path)):
        stages.pretrain(epochs=2)


def test_the_checkpoint_of_another_network_is_named(stages: Stages) -> None:
    stages.pretrain(epochs=1)
    path = stages.folder / "stage1" / "checkpoints" / "last.ckpt"
    content = torch.load(path, weights_only=True)
    content["state_dict"] = {"other": torch.zeros(3)}
    torch.save(content, path)
    with pytest.raises(
        WorkError, match=r"is not a checkpoint of this stage; delete .*checkpoints to train it"
    ) as caught:
        stages.pretrain(epochs=2)
    assert len(str(caught.value)) < 300
