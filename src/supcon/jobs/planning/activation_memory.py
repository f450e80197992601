"""Estimates the memory of a training step without running one."""

from copy import deepcopy

import torch
from torch import Tensor, nn

from supcon.encoder import Encoder, frozen_layers

_ROWS = 2
_TEMPORARY = 1.25
"""Peak memory of a step divided by the memory of its saved activations; the rest are gradients of activations and the
workspace of convolutions (measured for resnet18 at 96 pixels: 1.2)."""
_COPIES_OF_WEIGHTS = 4
"""The weights, their gradients, the momentum, and one more copy (moving averages or temporary updates)."""


def activation_bytes(encoder: Encoder, channels: int, image_size: int, *, half: bool = False, frozen: int = 0) -> float:
    """Bytes of a training step per row, in float32 or `half` precision, with the first `frozen` layers frozen.

    Counts the tensors that autograd saves, and input and output of the largest layer, of which convolutions make copies
    in their own memory format. On torch's meta device, which computes shapes only: less than a second for any image
    size.
    """
    network = deepcopy(encoder).to("meta", torch.bfloat16 if half else torch.float32)
    weights = {_storage(tensor) for tensor in (*network.parameters(), *network.buffers())}
    kept: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        if _storage(tensor) not in weights:
            kept[_storage(tensor)] = tensor.untyped_storage().nbytes()
        return tensor

    largest = 0

    def measure(layer: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        nonlocal largest
        del layer
        largest = max(largest, sum(tensor.nbytes for tensor in (*inputs, output)))

    for layer in network.modules():
        if not any(layer.children()):
            layer.register_forward_hook(measure)
    images = torch.empty(_ROWS, channels, image_size, image_size, dtype=torch.uint8, device="meta")
    hooks = torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor)
    with frozen_layers(network, frozen), hooks:
        output = network.train()(images)  # keep a reference: the id of a freed storage could be reused
    del output
    return (_TEMPORARY * sum(kept.values()) + largest) / _ROWS


def weight_bytes(*modules: nn.Module) -> int:
    """Bytes for weights, gradients and optimizer state during training."""
    parameters = [parameter for module in modules for parameter in module.parameters()]
    return _COPIES_OF_WEIGHTS * sum(parameter.numel() * parameter.element_size() for parameter in parameters)


def _storage(tensor: Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)
