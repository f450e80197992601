import math
from collections.abc import Sequence
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from lightning import LightningModule, Trainer
from torch import nn

from supcon.errors import WorkError
from supcon.stages.watch import ProbeEncoder, Seconds, WatchLoss

MODULE = Mock(spec=LightningModule)


# Watching


def spoken(losses: Sequence[float], collapsed: float | None, patience: int = 3) -> list[str]:
    said: list[str] = []
    watch = WatchLoss(collapsed, said.append, patience)
    for loss in losses:
        watch.on_train_epoch_end(Mock(spec=Trainer, callback_metrics={"train/loss": torch.tensor(loss)}), MODULE)
    return said


COLLAPSED = math.log(511)


def test_a_loss_that_sits_at_the_collapsed_value_is_named_once() -> None:
    said = spoken([7.0, *[COLLAPSED] * 10], COLLAPSED)
    assert said == [
        "The loss has been 6.236 for 3 epochs, the value it has when all embeddings are equal: the encoder has "
        "collapsed. Lower the learning rate or warm up longer."
    ]


@pytest.mark.parametrize(
    "losses",
    [
        [COLLAPSED, COLLAPSED],
        [COLLAPSED, COLLAPSED, 5.0, COLLAPSED, COLLAPSED, 5.0],
        [6.3, 6.0, 5.5, 5.0, 4.8],
        [COLLAPSED * 1.003] * 10,
        [COLLAPSED * 0.997] * 10,
    ],
)
def test_other_courses_get_no_word(losses: list[float]) -> None:
    assert spoken(losses, COLLAPSED) == []


def test_nearly_there_counts_as_there() -> None:
    assert len(spoken([COLLAPSED * 1.001, COLLAPSED * 0.999, COLLAPSED], COLLAPSED)) == 1


def test_a_second_collapse_is_named_again() -> None:
    assert len(spoken([COLLAPSED] * 4 + [3.0] + [COLLAPSED] * 4, COLLAPSED)) == 2


def test_a_stage_without_a_collapsed_value_is_not_watched_for_it() -> None:
    assert spoken([COLLAPSED] * 10, None) == []


@pytest.mark.parametrize("loss", [math.nan, math.inf, -math.inf])
def test_a_loss_that_is_no_number_stops_the_work(loss: float) -> None:
    watch = WatchLoss(None, print)
    trainer = Mock(spec=Trainer, global_step=17)
    with pytest.raises(WorkError, match=rf"^The loss became {loss} at step 17: the learning rate is probably too high"):
        watch.on_train_batch_end(trainer, MODULE, {"loss": torch.tensor(loss)}, None, 0)
    watch.on_train_batch_end(trainer, MODULE, {"loss": torch.tensor(1e30)}, None, 0)


# Probing


def probed(every: int, epochs: int) -> list[int]:
    """The epochs, counted from 1, after which a probe ran."""
    module: Any = Mock(spec=LightningModule)
    module.encoder = nn.BatchNorm1d(2)
    seen: list[int] = []
    for epoch in range(epochs):

        def probe(encoder: Any, epoch: int = epoch) -> dict[str, float]:
            assert not encoder.training
            assert torch.is_inference_mode_enabled()
            seen.append(epoch + 1)
            return {"validation/knn_top1": 0.5}

        trainer = Mock(spec=Trainer, current_epoch=epoch, max_epochs=epochs)
        ProbeEncoder(probe, every).on_train_epoch_end(trainer, module)
        assert module.encoder.training
    assert module.log_dict.call_count == len(seen)
    return seen


@pytest.mark.parametrize(
    ("every", "epochs", "expected"),
    [(1, 3, [1, 2, 3]), (2, 5, [2, 4, 5]), (5, 3, [3]), (5, 10, [5, 10]), (0, 4, [])],
)
def test_the_encoder_is_probed_every_few_epochs_and_at_the_end(every: int, epochs: int, expected: list[int]) -> None:
    assert probed(every, epochs) == expected


def test_an_encoder_in_evaluation_mode_stays_there() -> None:
    module: Any = Mock(spec=LightningModule)
    module.encoder = nn.BatchNorm1d(2).eval()
    trainer = Mock(spec=Trainer, current_epoch=0, max_epochs=1)
    ProbeEncoder(lambda encode: {}, 1).on_train_epoch_end(trainer, module)
    assert not module.encoder.training


def test_seconds_are_those_of_the_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([100.0, 107.5])
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    seconds, module = Seconds(), Mock(spec=LightningModule)
    seconds.on_train_epoch_start(Mock(spec=Trainer), module)
    seconds.on_train_epoch_end(Mock(spec=Trainer), module)
    module.log.assert_called_once_with("seconds", 7.5)
