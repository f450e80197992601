"""Optimizers and the learning rate's course."""

import math
from collections.abc import Iterable
from typing import Any, Literal

from torch import nn
from torch.optim import SGD, AdamW, Optimizer
from torch.optim.lr_scheduler import LambdaLR


def make_optimizer(
    modules: Iterable[nn.Module], name: Literal["sgd", "adamw"], lr: float, momentum: float, weight_decay: float
) -> Optimizer:
    """One optimizer over all parameters of `modules`; biases and norms, whose tensors are flat, do not decay."""
    parameters = [p for module in modules for p in module.parameters() if p.requires_grad]
    groups: list[dict[str, Any]] = [
        {"params": [p for p in parameters if p.ndim > 1], "weight_decay": weight_decay},
        {"params": [p for p in parameters if p.ndim <= 1], "weight_decay": 0.0},
    ]
    return SGD(groups, lr=lr, momentum=momentum) if name == "sgd" else AdamW(groups, lr=lr)


def warmup_cosine(step: int, warmup_steps: float, total_steps: int) -> float:
    """The share of the learning rate at `step`: a straight rise from zero, then half a cosine to zero.

    >>> [round(warmup_cosine(step, 2, 6), 3) for step in range(6)]
    [0.0, 0.5, 1.0, 0.854, 0.5, 0.146]
    """
    if step < warmup_steps:
        return step / warmup_steps
    return 0.5 * (1 + math.cos(math.pi * (step - warmup_steps) / max(total_steps - warmup_steps, 1)))


def make_schedule(optimizer: Optimizer, warmup_steps: float, total_steps: int) -> LambdaLR:
    """`warmup_cosine` as torch and Lightning want it, stepped once a batch."""
    return LambdaLR(optimizer, lambda step: warmup_cosine(step, warmup_steps, total_steps))
