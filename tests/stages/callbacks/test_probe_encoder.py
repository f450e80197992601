"""The encoder is measured during training, and nothing changes by that."""

from collections.abc import Mapping
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from lightning import LightningModule, Trainer
from torch import nn

from references.whole_stages import Stages, equal, weights
from supcon.stages.callbacks.probe_encoder import ProbeEncoder


def test_every_row_has_its_own_measures(stages: Stages) -> None:
    values = iter([0.25, 0.5])
    stages.pretrain(epochs=4, probe=lambda encode: {"validation/knn_top1": next(values)}, knn_every=2)
    rows = stages.rows("stage1")
    assert [row.get("validation/knn_top1") for row in rows.values()] == [None, 0.25, None, 0.5]
    assert all(row["train/loss"] > 0 and row["seconds"] > 0 for row in rows.values())


def test_the_probe_gets_the_encoder_and_changes_nothing(stages: Stages) -> None:
    def probe(encode: Any) -> Mapping[str, float]:
        assert not encode.training
        assert encode(stages.data.validation.images).shape == (9, 32)
        return {}

    with_probe = weights(stages.pretrain("with", probe=probe))
    assert equal(with_probe, weights(stages.pretrain("without", knn_every=0)))


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


def test_only_the_first_process_probes() -> None:
    module: Any = Mock(spec=LightningModule)
    module.encoder = nn.BatchNorm1d(2)
    trainer = Mock(spec=Trainer, current_epoch=0, max_epochs=1, is_global_zero=False)
    ProbeEncoder(lambda encode: pytest.fail("probed"), 1).on_train_epoch_end(trainer, module)
