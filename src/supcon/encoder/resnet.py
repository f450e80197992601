"""The paper's residual networks from timm (v1.5: stride on the 3x3; last gamma of a block zero), with either stem."""

from typing import Any

from torch import nn

from supcon.base.errors import RequestError
from supcon.encoder.config import Norm, Stem
from supcon.encoder.stem import resolve_stem
from supcon.encoder.timm_network import timm_network


def resnet(
    name: str, channels: int, image_size: int, stem: Stem, *, norm: Norm = "batch", pretrained: bool = False
) -> nn.Module:
    """A timm network without its classifier; its weights keep timm's names, which are torchvision's."""
    small = resolve_stem(name, stem, image_size) == "small"
    if small and pretrained:
        raise RequestError(
            f"The published weights of {name} have the imagenet stem, and inputs of {image_size} pixels get the small "
            "one; give --encoder.stem imagenet, and a --data.image_size of 128 or more for a good result."
        )
    options = {"norm_layer": "groupnorm"} if norm == "group" else {}
    network: Any = timm_network(name, channels, pretrained=pretrained, zero_init_last=True, **options)
    if small:
        _use_small_stem(network, channels)
    return network  # type: ignore[no-any-return]


def _use_small_stem(network: Any, channels: int) -> None:
    """One 3x3 convolution with stride 1 and no max-pool: the 7x7 stem would leave 1x1 of a 32-pixel image."""
    width = network.conv1.out_channels
    network.conv1 = nn.Conv2d(channels, width, 3, 1, 1, bias=False)
    nn.init.kaiming_normal_(network.conv1.weight, mode="fan_out", nonlinearity="relu")
    network.maxpool = nn.Identity()
