"""Writes `metrics.csv` while a stage trains."""

from pathlib import Path

from lightning import Callback, LightningModule, Trainer

from supcon.base.atomic_files import write_text
from supcon.base.metrics_table import metrics_text, read_metrics


class MetricsFile(Callback):
    """Rewrites the file at the end of every epoch, just before the epoch's checkpoint.

    In this order a process killed in between leaves one row too many, which resuming drops, and never one too few. The
    file is replaced atomically, so a reader never gets an incomplete table.
    """

    def __init__(self, path: Path, epochs_done: int = 0) -> None:
        self.path = path
        self.rows = {epoch: row for epoch, row in read_metrics(path).items() if epoch <= epochs_done}

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        # Lightning keeps the values of earlier epochs; a row should only hold those of its own epoch.
        trainer.callback_metrics.clear()

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        epoch = trainer.current_epoch + 1  # rows count finished epochs, from 1
        self.rows[epoch] = {name: float(value) for name, value in trainer.callback_metrics.items()}
        if trainer.is_global_zero:
            write_text(self.path, metrics_text(self.rows))
