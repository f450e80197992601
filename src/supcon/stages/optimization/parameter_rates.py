"""Separate learning rates for some modules of one optimizer."""

from collections.abc import Collection

from torch import nn
from torch.optim import Optimizer


def set_module_lr(optimizer: Optimizer, module: nn.Module, lr: float, weight_decay: float | None = None) -> None:
    """Moves `module`'s parameters into new parameter groups with the rate `lr`; the other options stay the same.

    Call it before the schedule is created, which reads the initial rate of every group. `weight_decay` is for the
    parameters with weight decay (see `decay_groups`); the others still have none.
    """
    own = {id(parameter) for parameter in module.parameters()}
    for group in list(optimizer.param_groups):
        moved = _take(group["params"], own)
        if moved:
            options = {name: value for name, value in group.items() if name != "params"} | {"lr": lr}
            if weight_decay is not None and group["adapt"]:
                options["weight_decay"] = weight_decay
            optimizer.add_param_group({"params": moved, **options})
    optimizer.param_groups[:] = [group for group in optimizer.param_groups if group["params"]]


def _take(parameters: list[nn.Parameter], own: Collection[int]) -> list[nn.Parameter]:
    """Removes the parameters in `own` from the list and returns them."""
    moved = [parameter for parameter in parameters if id(parameter) in own]
    parameters[:] = [parameter for parameter in parameters if id(parameter) not in own]
    return moved
