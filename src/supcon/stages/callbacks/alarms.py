"""What ends a run that has gone wrong: at once, with the likely cause, and before a bad checkpoint is written."""

import math
from typing import Any

import torch
from lightning import Callback, LightningModule, Trainer

from supcon.base.errors import WorkError
from supcon.base.progress import say

_LOOK_EVERY = 16
"""Steps between two looks at the loss on a GPU, where looking waits for all the work given to it."""


class WatchLoss(Callback):
    """Stops at once where the loss is no number. A sum of losses stays one when a loss has been, so none is missed."""

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del trainer, pl_module
        self.total = torch.zeros(())

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        del pl_module, batch
        loss = outputs["loss"].detach()
        self.total = self.total.to(loss.device) + loss
        last = batch_idx == trainer.num_training_batches - 1
        if (loss.device.type == "cpu" or batch_idx % _LOOK_EVERY == 0 or last) and not torch.isfinite(self.total):
            raise WorkError(f"The loss became {float(self.total)} at step {trainer.global_step}: {_cause(trainer)}")


def refuse_gradient(norm: float, trainer: Trainer, lr: float) -> None:
    """Raises where a gradient is no number: the step it is meant for would spoil the weights.

    With 16-mixed this happens now and then and is meant to: the gradient scaler leaves that step out.
    """
    if not math.isfinite(norm) and getattr(trainer.precision_plugin, "scaler", None) is None:
        raise WorkError(
            f"The gradient became {norm} at step {trainer.global_step}, with a learning rate of {lr:.3g}: "
            + _cause(trainer)
        )


def _cause(trainer: Trainer) -> str:
    if trainer.precision == "16-mixed":
        reason = (
            "half precision has probably overflowed; start another run, in another --out, with --precision bf16-mixed"
        )
    else:
        reason = (
            "the learning rate is probably too high; start another run, in another --out, with a lower optimizer.lr of "
            "this stage or a longer warm-up"
        )
    return f"{reason}. {_what_is_kept(trainer)}".rstrip()


def _what_is_kept(trainer: Trainer) -> str:
    callback = trainer.checkpoint_callback
    path = getattr(callback, "best_model_path", "")
    if trainer.current_epoch == 0 or not path:
        return ""
    return f"The checkpoint of epoch {trainer.current_epoch}, the last good one, is kept in {path}."


class Collapse:
    """Stops a run whose projections have all become the same and stay so.

    Fresh encoders give similar projections to all images too (a mean similarity of 0.98 to 0.99 was measured for the
    residual networks), and while the learning rate warms up that may well stay so. So it must be above `limit` on
    `patience` looks in a row, after `warmup_steps`.
    """

    def __init__(self, warmup_steps: float = 0, *, limit: float = 0.999, patience: int = 20) -> None:
        self.warmup_steps, self.limit, self.patience = warmup_steps, limit, patience
        self.looks = 0

    def look(self, similarity: float, step: int) -> None:
        """Takes the mean similarity of all rows at a step."""
        self.looks = self.looks + 1 if similarity > self.limit and step > self.warmup_steps else 0
        if self.looks >= self.patience:
            raise WorkError(
                f"The encoder has collapsed: at step {step} the projections of all images are the same (mean "
                f"similarity {similarity:.5f}), as on the {self.patience} looks before; the learning rate is probably "
                "too high, or the warm-up too short, or the temperature too low; start another run, in another --out, "
                "perhaps with --projection.centre true."
            )


class CrowdedNegatives:
    """Says once what to change where negatives are still nearly as similar as positives after the warm-up.

    Behind a ReLU all projections lie in one narrow cone. Above `limit` the loss hardly tells positives from negatives,
    its gradient is small, and many epochs go by before the cone opens.
    """

    def __init__(self, advice: str, warmup_steps: float = 0, *, limit: float = 0.9) -> None:
        self.advice, self.warmup_steps, self.limit = advice, warmup_steps, limit
        self.said = False

    def look(self, negatives: float, step: int) -> None:
        """Takes the mean similarity of negatives at a step; only the first one after the warm-up counts."""
        if step <= self.warmup_steps or self.said:
            return
        self.said = True
        if negatives > self.limit:
            say(
                f"Negatives have a mean similarity of {negatives:.2f} at step {step}, after the warm-up, so the "
                f"encoder learns slowly; {self.advice}."
            )
