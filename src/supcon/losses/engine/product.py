"""Matrix products in the precision of their factors, whatever autocast or TF32 would make of them.

Both also change a backward pass, which is why the product is an operator of its own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

AUTOCAST_DEVICES = ("cpu", "cuda")


def product(anchors: Tensor, columns: Tensor | None) -> Tensor:
    """[anchor, column]: anchors . columns; None: the anchors with each other. It can be differentiated twice."""
    if columns is None:
        result: Tensor = _Square.apply(anchors)
    else:
        result = _Product.apply(anchors, columns)
    return result


@contextmanager
def full_precision() -> Iterator[None]:
    """Products of float32 in float32: no TF32 and no bfloat16 inside."""
    precision = torch.get_float32_matmul_precision()
    if precision == "highest":
        yield
        return
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(precision)


@torch.library.custom_op("supcon::full_precision_mm", mutates_args=())
def _mm(left: Tensor, right: Tensor) -> Tensor:
    with full_precision():
        return left.mm(right)


@_mm.register_fake
def _(left: Tensor, right: Tensor) -> Tensor:
    return left.new_empty(left.shape[0], right.shape[1])


for _device in AUTOCAST_DEVICES:
    _mm.register_autocast(_device, torch.float32)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(anchors: Tensor, columns: Tensor) -> Tensor:
        return _mm(anchors, columns.t())

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor | None]:
        anchors, columns = ctx.saved_tensors
        of_columns = _Product.apply(gradient.t(), anchors.t()) if ctx.needs_input_grad[1] else None
        return _Product.apply(gradient, columns.t()), of_columns


class _Square(torch.autograd.Function):
    @staticmethod
    def forward(rows: Tensor) -> Tensor:
        return _mm(rows, rows.t())

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        (rows,) = ctx.saved_tensors
        # What a row gets as an anchor and as a column, in one product.
        result: Tensor = _Product.apply(gradient + gradient.t(), rows.t())
        return result
