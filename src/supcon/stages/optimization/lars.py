"""LARS, the paper's optimizer for encoders on ImageNet."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer


class LARS(Optimizer):
    """Layer-wise adaptive rate scaling (You et al., 2017) as in the authors' TensorFlow code.

    For a weight w with gradient g and momentum buffer m: g = g + weight_decay * w; ratio = `trust` * |w| / |g|, or 1 if
    a norm is 0; m = momentum * m + lr * ratio * g; w = w - m. The learning rate is inside the momentum, so a later
    decrease does not affect earlier gradients. No Nesterov momentum. The ratio is always 1 in groups with
    `adapt=False`, as for the authors' batch norms.

    timm's LARS differs: its ratio divides by |g| + decay * |w|, and the learning rate is outside of the momentum.
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
                    self._update(weight, group)
        return loss

    def _update(self, weight: Tensor, group: dict[str, Any]) -> None:
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
    # torch.where instead of `if`, which would synchronize with the GPU for every weight.
    ratio = trust * weight_norm / gradient_norm
    return torch.where((weight_norm > 0) & (gradient_norm > 0), ratio, torch.ones_like(ratio))
