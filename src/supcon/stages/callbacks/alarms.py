"""Stops a run with a NaN or infinite loss, gradient or weight, or a collapsed encoder; warns of poor training."""

import math
from typing import Any

import torch
from lightning import Callback, LightningModule, Trainer

from supcon.base.errors import TrainingFailedError
from supcon.base.progress import say

_CHECK_EVERY = 16
"""Steps between two checks of the loss on a GPU; every check synchronizes with the device."""
_TINY_TEMPERATURE = 1e-3
"""Below it, similarities divided by the temperature are in the thousands, and no learning rate keeps them finite."""
_NEARLY = 0.99
"""A contrastive loss of at least this share of the loss at collapse is that loss."""
_WELL_ABOVE = 1.02
"""Above so many times that loss the embeddings are not equal: equal ones cannot have another loss."""
_SUSPICIOUS, _FAILED = 10, 1000
"""Cross-entropies above so many times that of a classifier that knows nothing."""


class WatchLoss(Callback):
    """Stops the run if the loss, or at the end of an epoch a weight, is NaN or infinite.

    It checks the sum of all losses, which stays NaN or infinite, so no step between two checks is missed.
    """

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
        if (loss.device.type == "cpu" or batch_idx % _CHECK_EVERY == 0 or last) and not torch.isfinite(self.total):
            raise TrainingFailedError(
                f"The loss became {float(self.total)} at step {trainer.global_step}: {_cause(trainer)}"
            )

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """The last step can spoil the weights after its loss; the checkpoint of this epoch is written after this."""
        values = [value for value in (*pl_module.parameters(), *pl_module.buffers()) if value.is_floating_point()]
        if not torch.stack([value.detach().isfinite().all() for value in values]).all():
            raise TrainingFailedError(
                f"A weight became NaN or infinite by step {trainer.global_step}: {_cause(trainer)}"
            )


def refuse_gradient(norm: float, trainer: Trainer, lr: float) -> None:
    """Raises an error if a gradient is NaN or infinite, since the step would make the weights so too.

    With 16-mixed this is expected occasionally: the gradient scaler skips that step.
    """
    if not math.isfinite(norm) and getattr(trainer.precision_plugin, "scaler", None) is None:
        raise TrainingFailedError(
            f"The gradient became {norm} at step {trainer.global_step}, with a learning rate of {lr:.3g}: "
            + _cause(trainer)
        )


class LossAtEnd(Callback):
    """Warns if the final loss is no better than chance; stops the run if it is far worse.

    `chance_loss` is the loss of a network that has learned nothing: with equal embeddings in a contrastive stage, with
    equal probabilities in one with cross-entropy.
    """

    def __init__(self, stage: str, chance_loss: float, *, contrastive: bool) -> None:
        self.stage, self.chance_loss, self.contrastive = stage, chance_loss, contrastive

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """At the end of the last epoch, by its mean loss."""
        if trainer.current_epoch + 1 != trainer.max_epochs:
            return
        loss = float(trainer.callback_metrics["train/loss"])
        if self.contrastive and loss >= _NEARLY * self.chance_loss:
            what = (
                "the encoder has collapsed or has learned nothing, and the figures of this run are those of such an "
                "encoder"
                if loss <= _WELL_ABOVE * self.chance_loss
                else "they differ, but the encoder has hardly learned yet which belong together, and the figures of "
                "this run are those of such an encoder"
            )
            say(
                f"The loss of the last epoch is {loss:.4g}; it would be {self.chance_loss:.4g} if all embeddings were "
                f"equal: {what}; start another run, in another --out, with more epochs or a lower "
                f"--{self.stage}.optimizer.lr."
            )
        if not self.contrastive and loss > _SUSPICIOUS * self.chance_loss:
            text = (
                f"The loss of the last epoch of {self.stage} is {loss:.4g}, that of a classifier that knows nothing "
                f"{self.chance_loss:.4g}: the learning rate is too high; start another run, in another --out, with a "
                f"lower --{self.stage}.optimizer.lr."
            )
            if loss > _FAILED * self.chance_loss:
                raise TrainingFailedError(text)
            say(text)


def _cause(trainer: Trainer) -> str:
    temperature = getattr(getattr(trainer.lightning_module, "loss", None), "temperature", None)
    if isinstance(temperature, float) and temperature < _TINY_TEMPERATURE:
        reason = (
            f"the temperature {temperature:g} is too low; start another run, in another --out, with a "
            "--loss.temperature of 0.05 to 0.5"
        )
    elif trainer.precision == "16-mixed":
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
    """Stops a run if the projections of all images are equal and remain so.

    Untrained encoders also give similar projections for all images (a mean similarity of 0.98 to 0.99 was measured for
    the residual networks), possibly until the end of the warm-up. Therefore the mean similarity must be above `limit`
    in `patience` checks in a row, after `warmup_steps`.
    """

    def __init__(self, warmup_steps: float = 0, *, limit: float = 0.999, patience: int = 20) -> None:
        self.warmup_steps, self.limit, self.patience = warmup_steps, limit, patience
        self.checks = 0

    def update(self, similarity: float, step: int) -> None:
        """Checks the mean similarity of all rows at a step."""
        self.checks = self.checks + 1 if similarity > self.limit and step > self.warmup_steps else 0
        if self.checks >= self.patience:
            raise TrainingFailedError(
                f"The encoder has collapsed: at step {step} the projections of all images are equal (mean "
                f"similarity {similarity:.5f}), as in {self.patience} checks in a row; the learning rate is probably "
                "too high, or the warm-up too short, or the temperature too low; start another run, in another --out, "
                "perhaps with --projection.centre true."
            )


class SimilarNegatives:
    """Prints advice, once, if negatives are still nearly as similar as positives after the warm-up.

    After a ReLU all projections point in similar directions. With a mean similarity of negatives above `limit` the loss
    hardly distinguishes positives from negatives, its gradient is small, and separating them takes many epochs.
    """

    def __init__(self, advice: str, warmup_steps: float = 0, *, limit: float = 0.9) -> None:
        self.advice, self.warmup_steps, self.limit = advice, warmup_steps, limit
        self.said = False

    def update(self, negatives: float, step: int) -> None:
        """Checks the mean similarity of negatives at a step; only the first step after the warm-up counts."""
        if step <= self.warmup_steps or self.said:
            return
        self.said = True
        if negatives > self.limit:
            say(
                f"Negatives have a mean similarity of {negatives:.2f} at step {step}, after the warm-up, so the "
                f"encoder learns slowly; {self.advice}."
            )
