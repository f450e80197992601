"""Optimizers by name."""

from collections.abc import Iterable
from typing import Any

from timm.optim.rmsprop_tf import RMSpropTF
from torch import nn
from torch.optim import SGD, AdamW, Optimizer

from supcon.stages.optimization.lars import LARS
from supcon.stages.optimization.optimizer_config import Decayed, OptimizerName
from supcon.stages.optimization.weight_decay import decay_groups


def make_optimizer(
    modules: Iterable[nn.Module],
    name: OptimizerName,
    lr: float,
    *,
    momentum: float = 0.9,
    nesterov: bool = False,
    weight_decay: float = 0.0,
    decayed: Decayed = "weights",
    lars_trust: float = 0.001,
    rmsprop_rho: float = 0.9,
    rmsprop_epsilon: float = 1e-3,
) -> Optimizer:
    """One optimizer over all parameters of `modules` that require gradients.

    `rmsprop` is TensorFlow's, which the paper used: the mean square starts at 1, epsilon is inside the square
    root, the learning rate is inside the momentum. torch's differs in all three.
    """
    groups: Any = decay_groups(modules, weight_decay, decayed)
    if name == "lars":
        return LARS(groups, lr=lr, momentum=momentum, trust=lars_trust)
    if name == "rmsprop":
        return RMSpropTF(groups, lr=lr, alpha=rmsprop_rho, eps=rmsprop_epsilon, momentum=momentum)
    if name == "sgd":
        return SGD(groups, lr=lr, momentum=momentum, nesterov=nesterov)
    return AdamW(groups, lr=lr)
