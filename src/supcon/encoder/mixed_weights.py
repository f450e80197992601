"""Weights between those an encoder had before training and those it has after it (Wortsman et al., 2022)."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn


def copy_weights(encoder: nn.Module) -> dict[str, Tensor]:
    """The weights and averages as they are now."""
    return {name: value.detach().clone() for name, value in encoder.state_dict().items()}


@torch.no_grad()
def mix_weights(encoder: nn.Module, start: Mapping[str, Tensor], share: float) -> None:
    """Gives `encoder` `share` of the weights in `start` and the rest of its own; counters stay."""
    for name, value in encoder.state_dict().items():
        # A centre is a mean of representations, not a weight: it had no meaning before training.
        if value.is_floating_point() and not name.startswith("centre."):
            value.lerp_(start[name].to(value.device), share)
