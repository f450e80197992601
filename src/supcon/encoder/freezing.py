"""Keeps parts of a pretrained encoder as they are while the rest is trained."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from timm.models import group_parameters
from torch import nn

from supcon.base.errors import RequestError
from supcon.encoder.encoder import Encoder


@contextmanager
def frozen_layers(encoder: Encoder, count: int = 0, *, statistics: bool = False) -> Iterator[None]:
    """While this lasts, the first `count` layers do not learn and their batch norms use the averages that they have.

    With `statistics` all batch norms do.

    Few images spoil the averages that a network took over a million others, and early layers see what all photographs
    have in common. A batch norm outside a frozen layer still learns its scale and shift.
    """
    frozen = first_layers(encoder, count)
    own = {id(parameter) for parameter in frozen}
    for parameter in frozen:
        parameter.requires_grad_(False)
    encoder.frozen_norms = [
        module
        for module in encoder.network.modules()
        if isinstance(module, nn.modules.batchnorm._BatchNorm) and (statistics or id(module.weight) in own)
    ]
    try:
        yield
    finally:
        encoder.frozen_norms = []
        for parameter in frozen:
            parameter.requires_grad_(True)


def first_layers(encoder: Encoder, count: int) -> list[nn.Parameter]:
    """The parameters of the first `count` layers: the stem, then one stage of blocks (of a transformer, a block) each.

    The grouping is timm's, which every model of it has.
    """
    if count == 0:
        return []
    network: Any = encoder.network
    groups: dict[str, int] = group_parameters(network, network.group_matcher(coarse=True), reverse=True)
    layers = max(groups.values()) + 1
    if count >= layers:
        raise RequestError(
            f"stage1.frozen_layers must leave at least one of the encoder's {layers} layers to train, got {count}."
        )
    return [parameter for name, parameter in network.named_parameters() if groups[name] < count]
