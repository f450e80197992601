"""Keeps parts of a pretrained encoder as they are while the rest is trained."""

from lightning import Callback, LightningModule, Trainer
from torch import nn

from supcon.encoder.layers import first_layers


class FrozenLayers(Callback):
    """Freezes the first `layers` of the encoder with their batch norms, and if asked all batch-norm `statistics`.

    Few images move the averages that a network took over a million others, and early layers see what all photographs
    have in common. Batch norms that are frozen use their averages and leave them; what is not in a frozen layer still
    learns its scale and shift. After the stage everything can be trained again.
    """

    def __init__(self, layers: int = 0, *, statistics: bool = False) -> None:
        self.layers, self.statistics = layers, statistics

    def setup(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        # Before the optimizer is made, which takes what learns.
        self.frozen = first_layers(pl_module.encoder, self.layers)  # type: ignore[arg-type]
        for parameter in self.frozen:
            parameter.requires_grad_(False)

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        # At every epoch, because a measurement in between puts the whole encoder back into training mode.
        frozen = {id(parameter) for parameter in self.frozen}
        for module in pl_module.encoder.network.modules():  # type: ignore[union-attr]
            if isinstance(module, nn.modules.batchnorm._BatchNorm) and (self.statistics or id(module.weight) in frozen):
                module.eval()

    def teardown(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        for parameter in self.frozen:
            parameter.requires_grad_(True)
