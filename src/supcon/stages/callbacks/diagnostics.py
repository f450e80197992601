"""Training diagnostics besides the loss, sampled at a few steps of every epoch to keep their cost low."""

import math
from collections.abc import Mapping
from statistics import fmean
from typing import Any

import torch
from lightning import Callback, LightningModule, Trainer
from torch import Tensor, nn
from torch.nn.utils import get_total_norm
from torch.optim import Optimizer

from supcon.stages.callbacks.alarms import Collapse, SimilarNegatives, refuse_gradient
from supcon.stages.callbacks.projection_statistics import similarity_metrics

_SAMPLES = 20
"""Number of sampled steps per epoch."""
_MAX_INTERVAL = 50
"""The largest number of steps between two samples, for long epochs."""


def is_sampled(step: int, steps: int) -> bool:
    """Whether the diagnostics of this step of an epoch are computed; the last step is always sampled.

    >>> [step for step in range(100) if is_sampled(step, 100)][:3], is_sampled(99, 100)
    ([0, 5, 10], True)
    """
    return step % min(max(steps // _SAMPLES, 1), _MAX_INTERVAL) == 0 or step == steps - 1


class Diagnostics(Callback):
    """Logs learning rate, gradient norm and, for a stage with projections, similarities, alignment and uniformity.

    `metrics.csv` gets their means over the sampled steps of an epoch (and the last learning rate), the loggers get
    every sampled step. The gradient norm is taken before clipping. With several processes, similarities are computed
    within each process and averaged.
    """

    def __init__(self, collapse: Collapse | None = None, similar_negatives: SimilarNegatives | None = None) -> None:
        self.collapse, self.similar_negatives = collapse, similar_negatives

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del trainer, pl_module
        self.taken: list[Mapping[str, float]] = []

    def on_train_batch_start(self, trainer: Trainer, pl_module: LightningModule, batch: Any, batch_idx: int) -> None:
        del pl_module, batch
        self.sampling = is_sampled(batch_idx, int(trainer.num_training_batches))

    def on_before_optimizer_step(self, trainer: Trainer, pl_module: LightningModule, optimizer: Optimizer) -> None:
        if self.sampling:
            self.lr = float(optimizer.param_groups[0]["lr"])
            self.norm = gradient_norm(pl_module)
            refuse_gradient(self.norm, trainer, self.lr)

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        del batch, batch_idx
        if not self.sampling:
            return
        metrics = {"train/gradient_norm": self.norm, **_similarities(pl_module)}
        if self.collapse is not None and "train/similarity" in metrics:
            self.collapse.update(metrics.pop("train/similarity"), trainer.global_step)
        if self.similar_negatives is not None and "train/negative_similarity" in metrics:
            self.similar_negatives.update(metrics["train/negative_similarity"], trainer.global_step)
        self.taken.append(metrics)
        for logger in trainer.loggers:
            now = {"step/loss": float(outputs["loss"]), "step/lr": self.lr}
            logger.log_metrics(
                now | {name.replace("train", "step"): metrics[name] for name in metrics}, trainer.global_step
            )

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del trainer
        means = {name: _finite_mean([metrics[name] for metrics in self.taken]) for name in self.taken[0]}
        pl_module.log_dict({"lr": self.lr, **means}, sync_dist=True)


def _finite_mean(values: list[float]) -> float:
    """Without the gradient norms of steps that overflowed and were skipped in 16 bits; NaN if all are."""
    return fmean([value for value in values if math.isfinite(value)] or [math.nan])


def gradient_norm(module: nn.Module) -> float:
    """The Euclidean norm of all gradients together."""
    return float(get_total_norm([p.grad for p in module.parameters() if p.grad is not None]))


def _similarities(module: LightningModule) -> dict[str, float]:
    seen: tuple[Tensor, Tensor | None] | None = getattr(module, "seen", None)
    if seen is None:
        return {}
    with torch.no_grad():
        metrics = similarity_metrics(*seen)
        values = torch.stack(list(metrics.values())).tolist()  # one synchronization with the device instead of five
    return {f"train/{name}": value for name, value in zip(metrics, values, strict=True)}
