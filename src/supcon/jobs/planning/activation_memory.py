"""Estimates the memory of a training step without running one."""

from copy import deepcopy

import torch
from torch import Tensor, nn

from supcon.encoder import Encoder, frozen_layers

_ROWS = 2
_TEMPORARY = 3.5
"""Copies of the largest layer's input and output beside the saved activations: their gradients, those in the memory
format of convolutions, and gaps between what malloc keeps. Measured in fine-tuning (`benchmarks/transfer_memory.py`):
the estimate is 0.7 to 1.3 times the peak, from small-resnet at 32 to EfficientNet-Lite2 at 224 pixels."""
_COPIES_OF_WEIGHTS = 4
"""The weights, their gradients, the momentum, and one more copy (moving averages or temporary updates)."""


def activation_bytes(encoder: Encoder, channels: int, image_size: int, *, half: bool = False, frozen: int = 0) -> float:
    """Bytes of a training step per row, in float32 or `half` precision, with the first `frozen` layers frozen.

    Counts the tensors that autograd saves, and copies of input and output of the largest layer. On torch's meta device,
    which computes shapes only: less than a second for any image size.
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
    return (sum(kept.values()) + _TEMPORARY * largest) / _ROWS


def weight_bytes(*modules: nn.Module) -> int:
    """Bytes for weights, gradients and optimizer state during training."""
    parameters = [parameter for module in modules for parameter in module.parameters()]
    return _COPIES_OF_WEIGHTS * sum(parameter.numel() * parameter.element_size() for parameter in parameters)


def _storage(tensor: Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)
