from typing import Any
from unittest.mock import Mock

import pytest
import torch
from lightning import LightningModule, Trainer
from torch import nn

from supcon.stages.callbacks.probe_encoder import ProbeEncoder
from supcon.stages.callbacks.training_progress import Seconds

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


def test_seconds_are_those_of_the_steps_of_all_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([100.0, 107.5])
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    seconds, module, trainer = Seconds(), Mock(spec=LightningModule), Mock(spec=Trainer, world_size=2)
    seconds.on_train_epoch_start(trainer, module)
    for step in range(3):
        seconds.on_train_batch_end(trainer, module, None, [torch.zeros(10, 1), torch.zeros(10)], step)
    seconds.on_train_epoch_end(trainer, module)
    module.log_dict.assert_called_once_with({"seconds": 7.5, "images_per_second": 8.0}, rank_zero_only=True)


def test_only_the_first_process_probes() -> None:
    module: Any = Mock(spec=LightningModule)
    module.encoder = nn.BatchNorm1d(2)
    trainer = Mock(spec=Trainer, current_epoch=0, max_epochs=1, is_global_zero=False)
    ProbeEncoder(lambda encode: pytest.fail("probed"), 1).on_train_epoch_end(trainer, module)
