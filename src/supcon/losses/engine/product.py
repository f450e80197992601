"""Matrix products in the precision of their factors, whatever autocast or TF32 would make of them.

Both also change a backward pass, which is why such a product is an operator of its own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

AUTOCAST_DEVICES = ("cpu", "cuda")


def product(anchors: Tensor, columns: Tensor | None) -> Tensor:
    """[anchor, column]: anchors . columns; None: the anchors with each other. It can be differentiated twice."""
    if _is_exact(anchors):
        return anchors @ (anchors if columns is None else columns).t()
    try:
        result: Tensor = inner_products(anchors, columns)
    except RuntimeError as error:
        if not is_refused_by_torch_func(error):
            raise
        result = anchors @ (anchors if columns is None else columns).t()
    return result


def _is_exact(factor: Tensor) -> bool:
    """Whether a plain product has the precision of its factors; the operator costs a tenth of a millisecond more."""
    device = factor.device.type
    if torch.compiler.is_compiling() or (device in AUTOCAST_DEVICES and torch.is_autocast_enabled(device)):
        return False
    return torch.get_float32_matmul_precision() == "highest"


def is_refused_by_torch_func(error: RuntimeError) -> bool:
    """Whether `torch.func.grad` and the like have no rule for an operation."""
    return "functorch" in str(error)


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


@torch.library.custom_op("supcon::inner_products", mutates_args=())
def inner_products(anchors: Tensor, columns: Tensor | None) -> Tensor:
    """[anchor, column]: anchors . columns; None: the anchors with each other."""
    with full_precision():
        return anchors.mm((anchors if columns is None else columns).t())


@inner_products.register_fake
def _(anchors: Tensor, columns: Tensor | None) -> Tensor:
    return anchors.new_empty(anchors.shape[0], (anchors if columns is None else columns).shape[0])


def _setup(ctx: Any, inputs: tuple[Tensor, Tensor | None], output: Tensor) -> None:  # noqa: ARG001
    ctx.save_for_backward(*inputs)


def _backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor | None]:
    anchors, columns = ctx.saved_tensors
    if columns is None:
        # What a row gets as an anchor and as a column, in one product.
        return inner_products(gradient + gradient.t(), anchors.t()), None
    of_columns = inner_products(gradient.t(), anchors.t()) if ctx.needs_input_grad[1] else None
    return inner_products(gradient, columns.t()), of_columns


inner_products.register_autograd(_backward, setup_context=_setup)
for _device in AUTOCAST_DEVICES:
    inner_products.register_autocast(_device, torch.float32)
