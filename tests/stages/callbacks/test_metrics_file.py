from pathlib import Path
from unittest.mock import Mock

import torch
from lightning import LightningModule, Trainer

from supcon.base.metrics_table import read_metrics
from supcon.stages.callbacks.metrics_file import MetricsFile


def write(path: Path, text: str) -> None:
    path.write_text(text)


def finish_epoch(file: MetricsFile, epoch: int, values: dict[str, float]) -> Mock:
    """What Lightning does around an epoch, counted from 0; an earlier epoch's values are still there."""
    trainer = Mock(spec=Trainer, current_epoch=epoch, is_global_zero=True, callback_metrics={"left/over": 9.0})
    module = Mock(spec=LightningModule)
    file.on_train_epoch_start(trainer, module)
    trainer.callback_metrics |= {name: torch.tensor(value) for name, value in values.items()}
    file.on_train_epoch_end(trainer, module)
    return trainer


def test_one_row_an_epoch_with_what_that_epoch_measured(tmp_path: Path) -> None:
    file = MetricsFile(tmp_path / "metrics.csv")
    finish_epoch(file, 0, {"train/loss": 2.5})
    assert file.path.read_text() == "epoch,train/loss\n1,2.5\n"
    finish_epoch(file, 1, {"train/loss": 2.0, "knn": 0.75})
    assert file.path.read_text() == "epoch,knn,train/loss\n1,,2.5\n2,0.75,2.0\n"
    assert read_metrics(file.path) == {1: {"train/loss": 2.5}, 2: {"train/loss": 2.0, "knn": 0.75}}


def test_a_resumed_run_keeps_earlier_rows_and_repeats_none(tmp_path: Path) -> None:
    path = tmp_path / "metrics.csv"
    write(path, "epoch,train/loss\n1,3.0\n2,2.0\n3,1.0\n")
    # The run was killed between the third row and the third checkpoint: two epochs are done.
    file = MetricsFile(path, epochs_done=2)
    assert path.read_text().endswith("3,1.0\n")
    finish_epoch(file, 2, {"train/loss": 1.5})
    finish_epoch(file, 3, {"train/loss": 0.5})
    assert path.read_text() == "epoch,train/loss\n1,3.0\n2,2.0\n3,1.5\n4,0.5\n"


def test_a_stage_that_starts_again_starts_a_new_table(tmp_path: Path) -> None:
    path = tmp_path / "metrics.csv"
    write(path, "epoch,train/loss\n1,3.0\n2,1.0\n")
    finish_epoch(MetricsFile(path, epochs_done=0), 0, {"train/loss": 2.0})
    assert read_metrics(path) == {1: {"train/loss": 2.0}}


def test_numbers_come_back_exactly(tmp_path: Path) -> None:
    values = {"a": 1 / 3, "b": 1e-30, "c": float("inf"), "d": -0.0}
    path = tmp_path / "metrics.csv"
    trainer = Mock(spec=Trainer, current_epoch=0, is_global_zero=True, callback_metrics=values)
    MetricsFile(path).on_train_epoch_end(trainer, Mock(spec=LightningModule))
    assert read_metrics(path) == {1: values}


def test_only_the_first_process_writes(tmp_path: Path) -> None:
    file = MetricsFile(tmp_path / "metrics.csv")
    trainer = Mock(spec=Trainer, current_epoch=0, is_global_zero=False, callback_metrics={"a": 1.0})
    file.on_train_epoch_end(trainer, Mock(spec=LightningModule))
    assert not file.path.exists()


def test_the_file_holds_every_epoch_so_far(tmp_path: Path) -> None:
    file = MetricsFile(tmp_path / "metrics.csv")
    finish_epoch(file, 0, {"a": 1.0})
    assert file.path.read_text() == "epoch,a\n1,1.0\n"
    finish_epoch(file, 1, {"a": 2.0})
    assert file.path.read_text() == "epoch,a\n1,1.0\n2,2.0\n"
