"""Figures beside the loss that say how a stage goes: taken on a few steps of every epoch, so that they cost little."""

from collections.abc import Mapping
from statistics import fmean
from typing import Any

import torch
from lightning import Callback, LightningModule, Trainer
from torch import Tensor, nn
from torch.nn.utils import get_total_norm
from torch.optim import Optimizer

from supcon.stages.callbacks.alarms import Collapse, CrowdedNegatives, refuse_gradient
from supcon.stages.callbacks.projection_statistics import similarity_figures

_SAMPLES = 20
"""Steps of an epoch that are looked at."""
_FARTHEST = 50
"""At most so many steps between two of them, however long the epoch."""


def is_looked_at(step: int, steps: int) -> bool:
    """Whether the figures of this step of an epoch are taken; the last one's always are.

    >>> [step for step in range(100) if is_looked_at(step, 100)][:3], is_looked_at(99, 100)
    ([0, 5, 10], True)
    """
    return step % min(max(steps // _SAMPLES, 1), _FARTHEST) == 0 or step == steps - 1


class Diagnostics(Callback):
    """Learning rate, norm of the gradient, and of a stage with projections how these lie on the sphere.

    Logs their means over an epoch (of the learning rate the last), and gives every step that is looked at to the
    loggers. The gradient's norm is that before clipping. Where several processes train, similarities are those within
    a process, averaged.
    """

    def __init__(self, collapse: Collapse | None = None, crowded: CrowdedNegatives | None = None) -> None:
        self.collapse, self.crowded = collapse, crowded

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del trainer, pl_module
        self.taken: list[Mapping[str, float]] = []

    def on_train_batch_start(self, trainer: Trainer, pl_module: LightningModule, batch: Any, batch_idx: int) -> None:
        del pl_module, batch
        self.looking = is_looked_at(batch_idx, int(trainer.num_training_batches))

    def on_before_optimizer_step(self, trainer: Trainer, pl_module: LightningModule, optimizer: Optimizer) -> None:
        if self.looking:
            self.lr = float(optimizer.param_groups[0]["lr"])
            self.norm = gradient_norm(pl_module)
            refuse_gradient(self.norm, trainer, self.lr)

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        del batch, batch_idx
        if not self.looking:
            return
        figures = {"train/gradient_norm": self.norm, **_similarities(pl_module)}
        if self.collapse is not None and "train/similarity" in figures:
            self.collapse.look(figures.pop("train/similarity"), trainer.global_step)
        if self.crowded is not None and "train/negative_similarity" in figures:
            self.crowded.look(figures["train/negative_similarity"], trainer.global_step)
        self.taken.append(figures)
        for logger in trainer.loggers:
            now = {"step/loss": float(outputs["loss"]), "step/lr": self.lr}
            logger.log_metrics(
                now | {name.replace("train", "step"): figures[name] for name in figures}, trainer.global_step
            )

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        del trainer
        means = {name: fmean(figures[name] for figures in self.taken) for name in self.taken[0]}
        pl_module.log_dict({"lr": self.lr, **means}, sync_dist=True)


def gradient_norm(module: nn.Module) -> float:
    """The Euclidean norm of all gradients together."""
    return float(get_total_norm([p.grad for p in module.parameters() if p.grad is not None]))


def _similarities(module: LightningModule) -> dict[str, float]:
    seen: tuple[Tensor, Tensor | None] | None = getattr(module, "seen", None)
    if seen is None:
        return {}
    with torch.no_grad():
        figures = similarity_figures(*seen)
        values = torch.stack(list(figures.values())).tolist()  # one wait for the device, not five
    return {f"train/{name}": value for name, value in zip(figures, values, strict=True)}
