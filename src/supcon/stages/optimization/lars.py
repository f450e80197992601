"""LARS, with which the paper trains its encoders on ImageNet."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer


class LARS(Optimizer):
    """Layer-wise adaptive rates (You et al., 2017) as the authors' TensorFlow code has them.

    For a weight w with gradient g: g grows by the weight decay; the trust ratio is `trust` * |w| / |g|, or 1 where a
    norm is 0; the momentum takes in lr * ratio * g, so that a step keeps the rate of its own time when the rate falls
    later; w falls by the momentum. No Nesterov. A group with `adapt=False` has the ratio 1 throughout, as the authors'
    batch norms do.

    timm's LARS differs: its ratio divides by |g| + decay * |w| and the rate stays outside of the momentum.
    """

    def __init__(
        self, params: Any, lr: float, *, momentum: float = 0.9, weight_decay: float = 0.0, trust: float = 0.001
    ) -> None:
        super().__init__(
            params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay, "trust": trust, "adapt": True}
        )

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is not None:
                    self._move(weight, group)
        return loss

    def _move(self, weight: Tensor, group: dict[str, Any]) -> None:
        gradient = weight.grad.add(weight, alpha=group["weight_decay"])  # type: ignore[union-attr]
        if group["adapt"]:
            gradient.mul_(_trust_ratio(weight, gradient, group["trust"]))
        state = self.state[weight]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(weight)
        state["momentum"].mul_(group["momentum"]).add_(gradient, alpha=group["lr"])
        weight.sub_(state["momentum"])


def _trust_ratio(weight: Tensor, gradient: Tensor, trust: float) -> Tensor:
    weight_norm, gradient_norm = weight.norm(), gradient.norm()
    # On the tensors' own device: asking whether a norm is 0 would wait for the GPU at every weight.
    ratio = trust * weight_norm / gradient_norm
    return torch.where((weight_norm > 0) & (gradient_norm > 0), ratio, torch.ones_like(ratio))
