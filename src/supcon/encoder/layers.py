"""The layers of an encoder from the input up, for what treats early ones differently."""

from typing import Any

from timm.models import group_parameters
from torch import nn

from supcon.encoder.encoder import Encoder
from supcon.base.errors import RequestError


def first_layers(encoder: Encoder, count: int) -> list[nn.Parameter]:
    """The parameters of the first `count` layers: the stem, then one stage of blocks (of a transformer, a block) each.

    The grouping is timm's, which every model of it has.
    """
    network: Any = encoder.network
    groups: dict[str, int] = group_parameters(network, network.group_matcher(coarse=True), reverse=True)
    layers = max(groups.values()) + 1
    if count >= layers:
        raise RequestError(
            f"stage1.frozen_layers must leave at least one of the encoder's {layers} layers to train, got {count}."
        )
    return [parameter for name, parameter in network.named_parameters() if groups[name] < count]
