"""Freezes parts of a pretrained encoder during training."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from timm.models import group_parameters
from torch import nn

from supcon.base.errors import RequestError
from supcon.encoder.encoder import Encoder


@contextmanager
def frozen_layers(encoder: Encoder, count: int = 0, *, statistics: bool = False) -> Iterator[None]:
    """Within the block the first `count` layers are frozen, and their batch norms use their running averages.

    With `statistics` all batch norms use their running averages and do not update them.

    Few images give worse averages than those of the pretraining, and early layers compute features that are common to
    all photographs. A batch norm outside of the frozen layers still trains its scale and shift.
    """
    frozen = first_layers(encoder, count)
    own = {id(parameter) for parameter in frozen}
    for parameter in frozen:
        parameter.requires_grad_(False)
    encoder.frozen_norms = [
        name
        for name, module in encoder.network.named_modules()
        if isinstance(module, nn.modules.batchnorm._BatchNorm) and (statistics or id(module.weight) in own)
    ]
    encoder.train(encoder.training)  # Lightning leaves the modes as they are when training begins
    try:
        yield
    finally:
        encoder.frozen_norms = []
        encoder.train(encoder.training)
        for parameter in frozen:
            parameter.requires_grad_(True)


def first_layers(encoder: Encoder, count: int) -> list[nn.Parameter]:
    """The parameters of the first `count` layers: the stem, then one stage of blocks (of a transformer, a block) each.

    The grouping is that of timm, which all its models define.
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
