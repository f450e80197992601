"""Writes the run's page while it trains, so that it can be watched in a browser."""

import time
from datetime import datetime
from pathlib import Path

from lightning import Callback, LightningModule, Trainer

from supcon.data import ImageData
from supcon.jobs.run_pages import write_training_page
from supcon.report import TrainingState
from supcon.runs import Run

_LARGEST_SHARE = 0.03
"""Largest share of the time that writing the page takes; with very short epochs, some are skipped."""


class TrainingPage(Callback):
    """Writes `report.html` after every epoch with a measurement of the encoder, and after the last."""

    def __init__(self, run: Run, data: ImageData, folder: Path) -> None:
        self.run, self.data, self.stage = run, data, int(folder.name.removeprefix("stage"))
        self.next_time, self.written, self.pause = 0.0, 0.0, 0.0

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        if not trainer.is_global_zero:
            return
        done, epochs = trainer.current_epoch + 1, trainer.max_epochs or 0
        measured = self.stage == 2 or any(name.startswith("validation/") for name in trainer.callback_metrics)
        if done == epochs or (measured and time.monotonic() >= self.next_time):
            self._write(done, epochs)

    def _write(self, done: int, epochs: int) -> None:
        start = time.monotonic()
        self.pause = start - self.written if self.written else 0.0
        self.written = start
        state = TrainingState(
            stage=self.stage,
            epoch=done,
            epochs=epochs,
            seconds_left=self._seconds_left(done, epochs),
            written=datetime.now().astimezone().isoformat(timespec="seconds"),
            pause=self.pause,
        )
        write_training_page(self.run, self.data, state)
        self.next_time = time.monotonic() + (time.monotonic() - start) / _LARGEST_SHARE

    def _seconds_left(self, done: int, epochs: int) -> float:
        seconds = [value for _, value in self.run.curves(self.stage).get("seconds", [])]
        return (epochs - done) * sum(seconds) / max(len(seconds), 1)
