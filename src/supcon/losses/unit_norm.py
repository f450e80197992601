"""z = w / |w|, with half the operations of autograd's own way back."""

from typing import Any

import torch
from torch import Tensor

from supcon.losses.first_derivative import first_derivative_only


def unit_norm(rows: Tensor) -> Tensor:
    """Scale every row of [row, dim] to norm 1; a row of zeros stays."""
    result: Tensor = _UnitNorm.apply(rows)
    return result


class _UnitNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor) -> Tensor:
        norm: Tensor = torch.linalg.vector_norm(rows, dim=1, keepdim=True).clamp_(min=1e-12)
        result = rows / norm
        ctx.save_for_backward(result, norm)
        return result

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor]:
        """(gradient - (gradient . z) z) / |w|: the part along z cannot change z."""
        result, norm = ctx.saved_tensors
        along = (gradient * result).sum(1, keepdim=True)
        return (torch.addcmul(gradient, along, result, value=-1).div_(norm),)
