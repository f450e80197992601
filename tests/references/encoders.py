"""Encoders, and networks of others as if trained, for tests of weights."""

from typing import Any

import torch
from torch import Tensor, nn

from supcon.encoder import Encoder, make_encoder


def images(size: int = 64) -> Tensor:
    return torch.randint(256, (2, 3, size, size), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)


def encoder(name: str = "resnet18", pretrained: Any = False, **changes: Any) -> Encoder:
    values: dict[str, Any] = {"image_size": 64, "stem": "imagenet", "normalize_representation": False} | changes
    return make_encoder(
        name, channels=3, mean=(0.5,) * 3, std=(0.25,) * 3, pretrained=pretrained, width=8, **values
    ).eval()


def trained(network: nn.Module) -> nn.Module:
    """As if it had been trained: batch-norm averages and gammas with values of their own."""
    torch.manual_seed(1)
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.weight, 0.5, 1.5)
            nn.init.normal_(module.bias)
            module.running_mean.normal_()  # type: ignore[union-attr]
            module.running_var.uniform_(0.5, 2)  # type: ignore[union-attr]
    return network.eval()


def close(found: Tensor, expected: Tensor) -> bool:
    return bool((found - expected).abs().max() <= 1e-4 * expected.abs().max())
