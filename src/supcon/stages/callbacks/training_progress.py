"""Progress of a stage during training: steps, speed and metrics."""

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from lightning import Callback, LightningModule, Trainer

from supcon.base.training_panel import Figure, Show, training_panel

_SECONDS_BETWEEN = 0.5
"""Seconds between two updates of the progress bar."""


class Seconds(Callback):
    """Logs the training time of every epoch in seconds, and the images per second.

    Work at the end of an epoch, such as the k-NN measurement, is not included, so this callback must be the first.
    The times are in `metrics.csv`, so the total of a resumed run includes its earlier epochs.
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
    """One panel for the whole stage: a bar counted in steps, and the latest metrics with their history."""

    def __init__(self, description: str) -> None:
        self.description = description

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del pl_module
        self.epoch_steps = int(trainer.num_training_batches)
        total = (trainer.max_epochs or 0) * self.epoch_steps
        self.shown, self.next_time = trainer.current_epoch * self.epoch_steps, 0.0
        self.context: AbstractContextManager[Show] = training_panel(self.description, total, "steps", self.shown)
        self.show = self.context.__enter__()

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        del pl_module, batch
        last = batch_idx == self.epoch_steps - 1  # on_train_epoch_end shows more metrics
        if not last and time.monotonic() >= self.next_time:  # reading the loss synchronizes with the GPU
            loss = float(outputs["loss"])
            steps = trainer.current_epoch * self.epoch_steps + batch_idx + 1
            self._show(steps, trainer.current_epoch + 1, {"loss": Figure(f"{loss:.3f}")})

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del pl_module
        done = trainer.current_epoch + 1
        self._show(done * self.epoch_steps, done, figures_shown(trainer.callback_metrics))

    def _show(self, steps: int, epoch: int, figures: Mapping[str, Figure]) -> None:
        self.show(steps - self.shown, f"epoch {epoch}", figures)
        self.shown, self.next_time = steps, time.monotonic() + _SECONDS_BETWEEN

    def teardown(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        del trainer, pl_module, stage
        self._close()

    def on_exception(self, trainer: Trainer, pl_module: LightningModule, exception: BaseException) -> None:
        # Lightning does not call `teardown` then; an open bar would keep stdout and hide the cursor.
        del trainer, pl_module, exception
        self._close()

    def _close(self) -> None:
        if hasattr(self, "context"):
            self.context.__exit__(None, None, None)
            del self.context


def figures_shown(metrics: Mapping[str, Any]) -> dict[str, Figure]:
    """The metrics of the panel among those of an epoch.

    >>> figures_shown({"train/loss": 4.1849, "validation/knn_top1": 0.971})["k-NN"].text
    '97.1 %'
    """
    shown = {
        "train/loss": ("loss", "{:.3f}"),
        "train/top1": ("train", "{:.1%}"),
        "validation/knn_top1": ("k-NN", "{:.1%}"),
        "validation/knn_map": ("k-NN mAP", "{:.1%}"),
        "train/negative_similarity": ("similarity of negatives", "{:.3f}"),
        "lr": ("learning rate", "{:.3g}"),
        "images_per_second": ("speed", "{:,.0f} images/s"),
    }
    found = {name: float(metrics[name]) for name in shown if name in metrics}
    return {
        shown[name][0]: Figure(shown[name][1].format(value).replace("%", " %"), value) for name, value in found.items()
    }
