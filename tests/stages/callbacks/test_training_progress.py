from unittest.mock import Mock

import pytest
import torch
from lightning import LightningModule, Trainer

from supcon.stages.callbacks.training_progress import Seconds


def test_seconds_are_those_of_the_steps_of_all_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([100.0, 107.5])
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    seconds, module, trainer = Seconds(), Mock(spec=LightningModule), Mock(spec=Trainer, world_size=2)
    seconds.on_train_epoch_start(trainer, module)
    for step in range(3):
        seconds.on_train_batch_end(trainer, module, None, [torch.zeros(10, 1), torch.zeros(10)], step)
    seconds.on_train_epoch_end(trainer, module)
    module.log_dict.assert_called_once_with({"seconds": 7.5, "images_per_second": 8.0}, rank_zero_only=True)
