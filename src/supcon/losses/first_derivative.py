"""A backward pass that has no backward pass of its own, and says so.

torch's `once_differentiable` says so only where the incoming gradient has a graph. The gradient of a loss has none, and
a penalty on gradients would silently count as a constant.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch import Tensor

from supcon.losses.eager import full_precision

Gradients = tuple[Tensor | None, ...]


def first_derivative_only(backward: Callable[..., Gradients]) -> Callable[..., Gradients]:
    """Wrap the `backward` of a function that has saved at least one tensor on the way from its input."""

    @wraps(backward)
    def refusing(ctx: Any, *gradients: Tensor) -> Gradients:
        with full_precision(gradients[0].device):
            if not torch.is_grad_enabled():
                return backward(ctx, *gradients)
            with torch.no_grad():
                results = backward(ctx, *gradients)
        sources = [tensor for tensor in ctx.saved_tensors if tensor is not None and tensor.requires_grad]
        return tuple(None if result is None else _Refused.apply(result, *sources) for result in results)

    return refusing


class _Refused(torch.autograd.Function):
    @staticmethod
    def forward(_: Any, gradient: Tensor, *sources: Tensor) -> Tensor:
        return gradient.clone()

    @staticmethod
    def backward(_: Any, *gradients: Tensor) -> Gradients:
        raise RuntimeError(
            "the contrastive losses have a first derivative only: their gradients cannot be differentiated again, as a "
            "gradient penalty or a Hessian would need."
        )
