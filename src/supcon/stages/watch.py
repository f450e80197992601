"""What a person wants to hear while a stage trains: how it goes, that it learns, that it has collapsed."""

import math
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

import torch
from lightning import Callback, LightningModule, Trainer
from torch import nn

from supcon.errors import WorkError
from supcon.progress import Advance, bar

Probe = Callable[[Callable[[torch.Tensor], torch.Tensor]], Mapping[str, float]]
"""`probe(encode)` measures the encoder as it is and gives named values."""


class Seconds(Callback):
    """Logs how long every epoch took, so that a run in several sittings still knows its cost."""

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del trainer, pl_module
        self.start = time.perf_counter()

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del trainer
        pl_module.log("seconds", time.perf_counter() - self.start)


class EpochBar(Callback):
    """One bar for the whole stage, counted in epochs, with the newest figures behind it."""

    def __init__(self, description: str) -> None:
        self.description = description

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del pl_module
        self.context: AbstractContextManager[Advance] = bar(self.description, trainer.max_epochs or 0, "epochs")
        self.advance = self.context.__enter__()
        self.advance(steps=trainer.current_epoch)

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del pl_module
        self.advance(note=_note(trainer.callback_metrics))

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


def _note(metrics: Mapping[str, Any]) -> str:
    shown = {"train/loss": "loss {:.3f}", "train/top1": "train {:.1%}", "validation/knn_top1": "k-NN {:.1%}"}
    return " · ".join(form.format(float(metrics[name])) for name, form in shown.items() if name in metrics)


class ProbeEncoder(Callback):
    """Runs `probe` on the encoder every few epochs and after the last one, and logs what it gives."""

    def __init__(self, probe: Probe, every: int) -> None:
        self.probe, self.every = probe, every

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        done = trainer.current_epoch + 1
        if self.every == 0 or (done % self.every and done != trainer.max_epochs):
            return
        encoder: nn.Module = pl_module.encoder  # type: ignore[assignment]
        was_training = encoder.training
        encoder.eval()
        with torch.inference_mode():
            pl_module.log_dict(dict(self.probe(encoder)))
        encoder.train(was_training)


class WatchLoss(Callback):
    """Stops at once where the loss is no number; warns once where it sits at its collapsed value.

    When all embeddings are equal, Eq. 1 to 3 give log(rows - 1), whatever the labels: the likeliest reason for a loss
    that does not move.
    """

    def __init__(self, collapsed_loss: float | None, say: Callable[[str], None], patience: int = 3) -> None:
        self.collapsed_loss, self.say, self.patience = collapsed_loss, say, patience
        self.epochs_there = 0

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        del pl_module, batch, batch_idx
        loss = float(outputs["loss"])
        if not math.isfinite(loss):
            raise WorkError(
                f"The loss became {loss} at step {trainer.global_step}: the learning rate is probably too high; "
                "start another run, in another --out, with a lower optimizer.lr of this stage or a longer warm-up."
            )

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del pl_module
        if self.collapsed_loss is None:
            return
        loss = float(trainer.callback_metrics["train/loss"])
        self.epochs_there = self.epochs_there + 1 if abs(loss / self.collapsed_loss - 1) < 0.002 else 0
        if self.epochs_there == self.patience:
            self.say(
                f"The loss has been {loss:.3f} for {self.patience} epochs, the value it has when all embeddings are "
                "equal: the encoder has collapsed. Lower the learning rate or warm up longer."
            )
