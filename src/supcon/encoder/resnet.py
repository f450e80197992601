"""The paper's residual networks from timm (v1.5: stride on the 3x3; last gamma of a block zero), with either stem."""

from typing import Any

from torch import nn

from supcon.base.errors import RequestError
from supcon.encoder.config import Norm, Stem
from supcon.encoder.stem import resolve_stem
from supcon.encoder.timm_network import timm_network

_CHANNELS = (64, 128, 256, 512)
"""Channels of the four stages, before the expansion of a bottleneck."""


def resnet(
    name: str,
    channels: int,
    image_size: int,
    stem: Stem,
    *,
    norm: Norm = "batch",
    width_multiplier: int = 1,
    pretrained: bool = False,
) -> nn.Module:
    """A timm network without its classifier; its weights keep timm's names, which are torchvision's.

    `width_multiplier` multiplies the channels of every layer, including the stem, as in the authors' TensorFlow code
    and in SimCLR's ResNet 2x and 4x; timm's wide_resnet50_2 has wider inner layers of the blocks only.
    """
    small = resolve_stem(name, stem, image_size) == "small"
    if small and pretrained:
        raise RequestError(
            f"The published weights of {name} have the imagenet stem, and inputs of {image_size} pixels get the small "
            "one; give --encoder.stem imagenet, and a --data.image_size of 128 or more for a good result."
        )
    options: dict[str, Any] = {"norm_layer": "groupnorm"} if norm == "group" else {}
    if width_multiplier > 1:
        options["channels"] = tuple(width_multiplier * width for width in _CHANNELS)
    network: Any = timm_network(name, channels, pretrained=pretrained, zero_init_last=True, **options)
    if width_multiplier > 1:
        _widen_stem(network, width_multiplier * _CHANNELS[0])
    if small:
        _use_small_stem(network, channels)
    return network  # type: ignore[no-any-return]


def _widen_stem(network: Any, width: int) -> None:
    """Replaces timm's stem, which always has 64 channels, and the layers of the first block that take its output."""
    network.conv1 = _like(network.conv1, out_channels=width)
    network.bn1 = type(network.bn1)(width)
    block = network.layer1[0]
    block.conv1 = _like(block.conv1, in_channels=width)
    if block.downsample is not None:
        block.downsample[0] = _like(block.downsample[0], in_channels=width)


def _like(layer: nn.Conv2d, *, in_channels: int | None = None, out_channels: int | None = None) -> nn.Conv2d:
    """A new layer of the same kind with another number of channels."""
    options: dict[str, Any] = {name: getattr(layer, name) for name in ("kernel_size", "stride", "padding")}
    new = nn.Conv2d(in_channels or layer.in_channels, out_channels or layer.out_channels, bias=False, **options)
    nn.init.kaiming_normal_(new.weight, mode="fan_out", nonlinearity="relu")
    return new


def _use_small_stem(network: Any, channels: int) -> None:
    """One 3x3 convolution with stride 1 and no max-pool: the 7x7 stem would reduce a 32-pixel image to 1x1."""
    width = network.conv1.out_channels
    network.conv1 = nn.Conv2d(channels, width, 3, 1, 1, bias=False)
    nn.init.kaiming_normal_(network.conv1.weight, mode="fan_out", nonlinearity="relu")
    network.maxpool = nn.Identity()
