"""The paper's residual networks from timm (v1.5: stride on the 3x3; last gamma of a block zero), with either stem."""

from typing import Any, Literal

import timm
from torch import nn

_LARGEST_SMALL_INPUT = 64


def resnet(name: str, channels: int, image_size: int, stem: Literal["auto", "small", "imagenet"]) -> nn.Module:
    """A timm network without its classifier; its weights keep timm's names."""
    network: Any = timm.create_model(name, num_classes=0, in_chans=channels, zero_init_last=True)
    if stem == "small" or (stem == "auto" and image_size <= _LARGEST_SMALL_INPUT):
        _use_small_stem(network, channels)
    return network  # type: ignore[no-any-return]


def _use_small_stem(network: Any, channels: int) -> None:
    """One 3x3 convolution with stride 1 and no max-pool: the 7x7 stem would leave 1x1 of a 32-pixel image."""
    width = network.conv1.out_channels
    network.conv1 = nn.Conv2d(channels, width, 3, 1, 1, bias=False)
    nn.init.kaiming_normal_(network.conv1.weight, mode="fan_out", nonlinearity="relu")
    network.maxpool = nn.Identity()
