"""z = w / |w|, with half the operations of autograd's own way back."""

from typing import Any

import torch
from torch import Tensor

from supcon.losses.first_derivative import first_derivative_only


def unit_norm(rows: Tensor) -> Tensor:
    """Scale every row of [row, dim] to norm 1; a row of zeros stays."""
    result: Tensor = _UnitNorm.apply(rows)
    return result


def unit_norm_and_length(rows: Tensor) -> tuple[Tensor, Tensor]:
    """The rows at norm 1, and [row, 1] how long they were."""
    length: Tensor = torch.linalg.vector_norm(rows, dim=1, keepdim=True).clamp_(min=1e-12)
    return rows / length, length


def through_unit_norm(gradient: Tensor, unit: Tensor, length: Tensor) -> Tensor:
    """(gradient - (gradient . z) z) / |w|: the part along z cannot change z."""
    along = (gradient * unit).sum(1, keepdim=True)
    return torch.addcmul(gradient, along, unit, value=-1).div_(length)


class _UnitNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor) -> Tensor:
        unit, length = unit_norm_and_length(rows)
        ctx.save_for_backward(unit, length)
        return unit

    @staticmethod
    @first_derivative_only
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor]:
        return (through_unit_norm(gradient, *ctx.saved_tensors),)
