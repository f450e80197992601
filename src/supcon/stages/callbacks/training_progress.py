"""What a person wants to hear while a stage trains: how far it is, how fast it goes, that it learns."""

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from lightning import Callback, LightningModule, Trainer

from supcon.base.progress import Advance, bar

_SECONDS_BETWEEN = 0.5
"""How often the bar moves."""


class Seconds(Callback):
    """Logs how long the steps of every epoch took together, and how many images a second that is.

    What follows them, such as the k-NN measurement, is left out: this callback must be the first. A run in several
    sittings still knows its cost.
    """

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del trainer, pl_module
        self.start, self.images = time.perf_counter(), 0

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        del pl_module, outputs, batch_idx
        self.images += len(batch[0]) * trainer.world_size

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del trainer
        seconds = time.perf_counter() - self.start
        pl_module.log_dict({"seconds": seconds, "images_per_second": self.images / seconds}, rank_zero_only=True)


class EpochBar(Callback):
    """One bar for the whole stage, counted in steps, with the newest figures behind it."""

    def __init__(self, description: str) -> None:
        self.description = description

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del pl_module
        self.epoch_steps = int(trainer.num_training_batches)
        total = (trainer.max_epochs or 0) * self.epoch_steps
        self.shown, self.next_time = trainer.current_epoch * self.epoch_steps, 0.0
        self.context: AbstractContextManager[Advance] = bar(self.description, total, "steps", self.shown)
        self.advance = self.context.__enter__()

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        del pl_module, batch
        last = batch_idx == self.epoch_steps - 1  # the end of the epoch has more to say
        if not last and time.monotonic() >= self.next_time:  # reading the loss waits for a GPU
            note = f"epoch {trainer.current_epoch + 1} · loss {float(outputs['loss']):.3f}"
            self._show(trainer.current_epoch * self.epoch_steps + batch_idx + 1, note)

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del pl_module
        done = trainer.current_epoch + 1
        self._show(done * self.epoch_steps, " · ".join([f"epoch {done}", *_figures(trainer.callback_metrics)]))

    def _show(self, steps: int, note: str) -> None:
        self.advance(steps=steps - self.shown, note=note)
        self.shown, self.next_time = steps, time.monotonic() + _SECONDS_BETWEEN

    def teardown(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        del trainer, pl_module, stage
        self._close()

    def on_exception(self, trainer: Trainer, pl_module: LightningModule, exception: BaseException) -> None:
        # Lightning leaves `teardown` out then; an open bar keeps stdout and hides the cursor.
        del trainer, pl_module, exception
        self._close()

    def _close(self) -> None:
        if hasattr(self, "context"):
            self.context.__exit__(None, None, None)
            del self.context


def _figures(metrics: Mapping[str, Any]) -> list[str]:
    shown = {
        "train/loss": "loss {:.3f}",
        "train/top1": "train {:.1%}",
        "validation/knn_top1": "k-NN {:.1%}",
        "images_per_second": "{:,.0f} images/s",
    }
    return [form.format(float(metrics[name])) for name, form in shown.items() if name in metrics]
