"""`metrics.csv`: one row an epoch, whole after every epoch, continued by a resumed run."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

from lightning import Callback, LightningModule, Trainer


class MetricsFile(Callback):
    """Rewrites the file at the end of every epoch, just before the epoch's checkpoint.

    In that order a kill in between leaves a row too many, which resuming drops, and never a row too few. `write` puts
    text into a file in one piece, so that a reader never meets half a table.
    """

    def __init__(self, path: Path, write: Callable[[Path, str], None], epochs_done: int = 0) -> None:
        self.path, self.write = path, write
        rows = read_metrics(path) if path.exists() else {}
        self.rows = {epoch: row for epoch, row in rows.items() if epoch <= epochs_done}

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        # Lightning keeps what an earlier epoch logged; a row holds what its own epoch measured.
        trainer.callback_metrics.clear()

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        epoch = trainer.current_epoch + 1  # rows count finished epochs, as people do
        self.rows[epoch] = {name: float(value) for name, value in trainer.callback_metrics.items()}
        if trainer.is_global_zero:
            self.write(self.path, self._table())

    def _table(self) -> str:
        names = sorted({name for row in self.rows.values() for name in row})
        text = io.StringIO()
        table = csv.DictWriter(text, ["epoch", *names], restval="", lineterminator="\n")
        table.writeheader()
        table.writerows({"epoch": epoch, **row} for epoch, row in sorted(self.rows.items()))
        return text.getvalue()


def read_metrics(path: Path) -> dict[int, dict[str, float]]:
    """The rows of a `metrics.csv` by epoch; a cell that was not measured in that epoch is left out."""
    with path.open(newline="") as file:
        return {
            int(row.pop("epoch")): {name: float(value) for name, value in row.items() if value != ""}
            for row in csv.DictReader(file)
        }
