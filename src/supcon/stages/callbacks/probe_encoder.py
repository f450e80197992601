"""Measures the encoder during training."""

from collections.abc import Callable, Mapping

import torch
from lightning import Callback, LightningModule, Trainer
from torch import nn

Probe = Callable[[Callable[[torch.Tensor], torch.Tensor]], Mapping[str, float]]
"""`probe(encode)` evaluates the current encoder and returns metrics by name."""


class ProbeEncoder(Callback):
    """Runs `probe` on the encoder every few epochs and after the last one, and logs the metrics.

    Only the first process does so; the others wait for it in the next step.
    """

    def __init__(self, probe: Probe, every: int) -> None:
        self.probe, self.every = probe, every

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        done = trainer.current_epoch + 1
        if not trainer.is_global_zero or self.every == 0 or (done % self.every and done != trainer.max_epochs):
            return
        encoder: nn.Module = pl_module.encoder  # type: ignore[assignment]
        was_training = encoder.training
        encoder.eval()
        # The probe has other batch sizes, for each of which a compiled encoder would be recompiled.
        with torch.inference_mode(), torch.compiler.set_stance("force_eager"):
            pl_module.log_dict(dict(self.probe(encoder)), rank_zero_only=True)
        encoder.train(was_training)
