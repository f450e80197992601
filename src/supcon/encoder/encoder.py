"""The encoder Enc(.): from uint8 images to representations."""

from collections.abc import Sequence
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from supcon.base.shapes import Images, Representations
from supcon.encoder.config import TIMM, Norm, Stem
from supcon.encoder.packaged_weights import PACKAGED, load_packaged
from supcon.encoder.resnet import resnet
from supcon.encoder.small_resnet import SmallResNet
from supcon.encoder.timm_network import any_network
from supcon.encoder.weights import load_weights

PIXELS_AT_ONCE, MIN_AT_ONCE = 256 * 256, 16
"""Pixels and images that each thread encodes at once, for inference on a CPU; measured with EfficientNet-Lite2, ResNets
and the small ResNet."""


class Encoder(nn.Module):
    """Normalizes the images, runs the network, and optionally centres and normalizes the representations.

    Mean and std of the images are buffers, so a saved encoder takes uint8 images without further preprocessing.
    """

    mean: Tensor
    std: Tensor

    def __init__(
        self,
        network: nn.Module,
        mean: Sequence[float],
        std: Sequence[float],
        normalize_representation: bool = True,
        centre_representation: bool = False,
    ) -> None:
        super().__init__()
        self.memory_format = _memory_format(network)
        self.network = network.to(memory_format=self.memory_format)
        self.normalize_representation = normalize_representation
        self.frozen_norms: list[str] = []  # names, because several GPUs replace the modules; see freezing.py
        # affine=False: a learned shift could undo the centring.
        self.centre: nn.Module = nn.BatchNorm1d(self.width, affine=False) if centre_representation else nn.Identity()
        self.register_buffer("mean", torch.tensor(mean, dtype=torch.float32).mul(255).view(-1, 1, 1))
        self.register_buffer("std", torch.tensor(std, dtype=torch.float32).mul(255).view(-1, 1, 1))

    @property
    def width(self) -> int:
        """D_E of the paper."""
        # Some models of timm have a layer after the pooling, which determines the output width.
        return int(getattr(self.network, "head_hidden_size", None) or self.network.num_features)  # type: ignore[arg-type]

    def train(self, mode: bool = True) -> "Encoder":
        """Like nn.Module.train, except that frozen batch norms stay in evaluation mode."""
        super().train(mode)
        for name in self.frozen_norms:
            self.network.get_submodule(name).eval()
        return self

    def forward(self, images: Images) -> Representations:
        return self.represent((images.to(self.mean.dtype) - self.mean) / self.std)

    def represent(self, inputs: Float[Tensor, "batch channel height width"]) -> Representations:
        """The representations of images that are normalized already."""
        inputs = inputs.contiguous(memory_format=self.memory_format)
        rows = self._in_parts(inputs) if self._few_at_once(inputs) else self.network(inputs)
        representations: Tensor = self.centre(rows)
        return F.normalize(representations, dim=1) if self.normalize_representation else representations

    def _few_at_once(self, inputs: Tensor) -> bool:
        """Whether it is inference on a CPU, which is up to twice as fast if activations fit in the caches."""
        traced = torch.compiler.is_compiling()  # also by the export to ONNX
        if traced or torch.is_grad_enabled() or inputs.device.type != "cpu":
            return False
        # A single batch norm in training mode needs the statistics of the whole batch.
        return not any(module.training for module in self.modules())

    def _in_parts(self, inputs: Tensor) -> Tensor:
        """The same rows, from a few images at a time."""
        pixels = inputs.shape[2] * inputs.shape[3]
        count = torch.get_num_threads() * max(MIN_AT_ONCE, PIXELS_AT_ONCE // pixels)
        return torch.cat([self.network(part) for part in inputs.split(count)])


def _memory_format(network: nn.Module) -> torch.memory_format:
    """Channels last: the same results, 1.3 to 1.7 times as fast on a CPU.

    Not with fewer than eight channels, where torch's strided 1x1 convolution writes out of bounds (torch 2.15 on a CPU
    with one thread: the process aborts with a corrupted heap).
    """
    widths = [module.out_channels for module in network.modules() if isinstance(module, nn.Conv2d)]
    return torch.channels_last if min(widths, default=0) >= 8 else torch.contiguous_format


def make_encoder(
    name: str,
    *,
    channels: int,
    image_size: int,
    mean: Sequence[float],
    std: Sequence[float],
    pretrained: bool | str = False,
    stem: Stem = "auto",
    norm: Norm = "batch",
    width: int = 32,
    width_multiplier: int = 1,
    stride: int = 1,
    normalize_representation: bool = True,
    centre_representation: bool = False,
) -> Encoder:
    """The encoder called `name`, with random weights, with published ones, or with those in the file `pretrained`.

    Published weights are read from an installed package if one has them, otherwise downloaded by timm.
    """
    packaged = pretrained is True and name.removeprefix(TIMM) in PACKAGED
    downloaded = pretrained is True and not packaged
    if name == "small-resnet":
        network: nn.Module = SmallResNet(channels, width, norm, stride)
    elif name.startswith(TIMM):
        network = any_network(name.removeprefix(TIMM), channels, image_size, pretrained=downloaded)
    else:
        network = resnet(
            name, channels, image_size, stem, norm=norm, width_multiplier=width_multiplier, pretrained=downloaded
        )
    if packaged:
        load_packaged(network, name.removeprefix(TIMM))
    elif isinstance(pretrained, str):
        load_weights(network, Path(pretrained))
    return Encoder(network, mean, std, normalize_representation, centre_representation)
