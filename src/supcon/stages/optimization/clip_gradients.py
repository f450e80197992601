"""Shortens gradients that are too long."""

from lightning import Callback, LightningModule, Trainer
from torch.nn.utils import clip_grad_norm_
from torch.optim import Optimizer


class ClipGradients(Callback):
    """Where all gradients together are longer than `norm`, all are scaled so that they are that long.

    A callback and not the trainer's `gradient_clip_val`, which Lightning refuses to a stage that calls its optimizer
    itself. Gradients are unscaled and averaged over processes by then.
    """

    def __init__(self, norm: float) -> None:
        self.norm = norm

    def on_before_optimizer_step(self, trainer: Trainer, pl_module: LightningModule, optimizer: Optimizer) -> None:
        parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
        clip_grad_norm_(parameters, self.norm)
