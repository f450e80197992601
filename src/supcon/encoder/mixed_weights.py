"""Interpolates between the weights before and after training (Wortsman et al., 2022)."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn


def copy_weights(encoder: nn.Module) -> dict[str, Tensor]:
    """A copy of the current weights and running averages."""
    return {name: value.detach().clone() for name, value in encoder.state_dict().items()}


@torch.no_grad()
def mix_weights(encoder: nn.Module, start: Mapping[str, Tensor], share: float) -> None:
    """Sets the weights to share * `start` + (1 - share) * current; integer buffers stay unchanged."""
    for name, value in encoder.state_dict().items():
        # The running mean of the centre is not a weight; before training it has its initial value.
        if value.is_floating_point() and not name.startswith("centre."):
            value.lerp_(start[name].to(value.device), share)
