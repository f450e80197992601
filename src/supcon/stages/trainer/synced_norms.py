"""Batch norm over the images of all GPUs."""

from lightning.pytorch.plugins import LayerSync
from timm.layers.norm_act import convert_sync_batchnorm
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm


class SyncedNorms(LayerSync):
    """Replaces all batch norms by synchronized ones, and puts the original ones back after training.

    Not Lightning's own plugin: torch's conversion drops the activation that many networks of timm have inside of their
    batch norms, and the plugin has no way back to the original classes.
    """

    def __init__(self) -> None:
        self._originals: dict[str, nn.Module] = {}

    def apply(self, model: nn.Module) -> nn.Module:
        self._originals = {name: part for name, part in model.named_modules() if isinstance(part, _BatchNorm)}
        converted: nn.Module = convert_sync_batchnorm(model)  # type: ignore[no-untyped-call]
        return converted

    def revert(self, model: nn.Module) -> nn.Module:
        for name, original in self._originals.items():
            synced = model.get_submodule(name)
            # Parameters are shared, but buffers were replaced when the model was moved to the GPU.
            original._parameters.update(synced._parameters)
            original._buffers.update(synced._buffers)
            original.training = synced.training
            model.set_submodule(name, original)
        self._originals = {}
        return model
