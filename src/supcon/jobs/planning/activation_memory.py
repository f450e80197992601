"""How much memory a training step takes, counted without running one."""

from copy import deepcopy

import torch
from torch import Tensor, nn

from supcon.encoder import Encoder, frozen_layers

_ROWS = 2
_TEMPORARY = 1.25
"""What a step takes at its peak of what it keeps for the backward pass: gradients of activations and a convolution's
working space come on top (resnet18 at 96 pixels, measured: 1.2)."""
_COPIES_OF_WEIGHTS = 4
"""The weights, their gradients, the momentum, and room for one more set (averages, an update)."""


def activation_bytes(encoder: Encoder, channels: int, image_size: int, *, half: bool = False, frozen: int = 0) -> float:
    """Bytes that one more row adds to a training step, in float32 or in `half` precision, with `frozen` first layers.

    Counts what autograd keeps, on torch's meta device, which has shapes and no numbers: less than a second for any
    size of image.
    """
    network = deepcopy(encoder).to("meta", torch.bfloat16 if half else torch.float32)
    weights = {_storage(tensor) for tensor in (*network.parameters(), *network.buffers())}
    kept: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        if _storage(tensor) not in weights:
            kept[_storage(tensor)] = tensor.untyped_storage().nbytes()
        return tensor

    images = torch.empty(_ROWS, channels, image_size, image_size, dtype=torch.uint8, device="meta")
    hooks = torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor)
    with frozen_layers(network, frozen), hooks:
        output = network.train()(images)  # kept: the number of a freed storage would be used again
    del output
    return _TEMPORARY * sum(kept.values()) / _ROWS


def weight_bytes(*modules: nn.Module) -> int:
    """Bytes that training takes for the weights."""
    parameters = [parameter for module in modules for parameter in module.parameters()]
    return _COPIES_OF_WEIGHTS * sum(parameter.numel() * parameter.element_size() for parameter in parameters)


def _storage(tensor: Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)
