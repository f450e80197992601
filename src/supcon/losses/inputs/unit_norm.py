"""z = w / |w| with a custom backward: half the operations of autograd's, and without its cancellation error."""

from typing import Any

import torch
from torch import Tensor

from supcon.losses.engine.product import is_refused_by_torch_func


def unit_norm(rows: Tensor) -> Tensor:
    """Scales every row of [row, dim] to norm 1; rows of zeros stay unchanged. Supports double backward."""
    try:
        result: Tensor = _UnitNorm.apply(rows)
    except RuntimeError as error:
        if not is_refused_by_torch_func(error):
            raise
        result, _ = _unit_and_length(rows)
    return result


def _unit_and_length(rows: Tensor) -> tuple[Tensor, Tensor]:
    length = torch.linalg.vector_norm(rows, dim=1, keepdim=True).clamp(min=1e-12)
    return rows / length, length


class _UnitNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor) -> Tensor:
        ctx.save_for_backward(rows)
        return _unit_and_length(rows)[0]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        # Computed from the saved rows, so that it can be differentiated again. The component along z has no effect.
        unit, length = _unit_and_length(*ctx.saved_tensors)
        along = (gradient * unit).sum(1, keepdim=True)
        return (gradient - along * unit) / length
