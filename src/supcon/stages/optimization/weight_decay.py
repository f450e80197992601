"""Selects the parameters that get weight decay."""

from collections.abc import Iterable, Iterator
from typing import Any

from torch import nn

from supcon.stages.optimization.optimizer_config import Decayed

_NORMS = (nn.modules.batchnorm._NormBase, nn.GroupNorm, nn.LayerNorm)


def decay_groups(modules: Iterable[nn.Module], weight_decay: float, decayed: Decayed) -> list[dict[str, Any]]:
    """Two parameter groups for an optimizer: with and without weight decay. `adapt` tells LARS to adapt the rate.

    Frozen parameters are excluded, shared ones are included once.
    """
    kinds = {"weights": ("weight",), "weights-and-biases": ("weight", "bias"), "all": ("weight", "bias", "norm")}
    sorted_out = {parameter: kind in kinds[decayed] for parameter, kind in _kinds(modules)}
    return [
        {"params": [p for p, decays in sorted_out.items() if decays], "weight_decay": weight_decay, "adapt": True},
        {"params": [p for p, decays in sorted_out.items() if not decays], "weight_decay": 0.0, "adapt": False},
    ]


def _kinds(modules: Iterable[nn.Module]) -> Iterator[tuple[nn.Parameter, str]]:
    for module in modules:
        for part in module.modules():
            for parameter in part.parameters(recurse=False):
                if parameter.requires_grad:
                    yield parameter, _kind(part, parameter)


def _kind(owner: nn.Module, parameter: nn.Parameter) -> str:
    if parameter.ndim > 1:
        return "weight"
    # timm has its own norm classes that do not derive from torch's; all have "norm" in their name.
    return "norm" if isinstance(owner, _NORMS) or "norm" in type(owner).__name__.lower() else "bias"
