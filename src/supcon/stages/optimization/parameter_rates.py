"""Learning rates of their own for some of the parameters of one optimizer."""

from collections.abc import Collection

from torch import nn
from torch.optim import Optimizer


def give_own_rate(optimizer: Optimizer, module: nn.Module, lr: float, weight_decay: float | None = None) -> None:
    """Puts `module`'s parameters into groups of their own; everything else of their groups they keep.

    The schedule multiplies every group's rate, so it has to be made afterwards. `weight_decay` is for the group that
    decays (see `decay_groups`); what does not decay goes on so.
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
    """Removes those of `own` from the list and gives them."""
    moved = [parameter for parameter in parameters if id(parameter) in own]
    parameters[:] = [parameter for parameter in parameters if id(parameter) not in own]
    return moved
