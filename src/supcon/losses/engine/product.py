"""Matrix products in the precision of their inputs, even under autocast or with TF32 enabled.

Both settings also affect the backward pass; therefore the product is a custom operator when one of them is on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

AUTOCAST_DEVICES = ("cpu", "cuda")


def product(anchors: Tensor, columns: Tensor | None) -> Tensor:
    """[anchor, column]: anchors @ columns.T; None: the anchors with themselves. Supports double backward."""
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
    """Whether the error says that an operation does not support `torch.func` transforms."""
    return "functorch" in str(error)


@contextmanager
def full_precision() -> Iterator[None]:
    """Computes float32 products in float32, without TF32 or bfloat16."""
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
    """[anchor, column]: anchors @ columns.T; None: the anchors with themselves."""
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
        # The gradients of a row as an anchor and as a column, in one product.
        return inner_products(gradient + gradient.t(), anchors.t()), None
    of_columns = inner_products(gradient.t(), anchors.t()) if ctx.needs_input_grad[1] else None
    return inner_products(gradient, columns.t()), of_columns


inner_products.register_autograd(_backward, setup_context=_setup)
for _device in AUTOCAST_DEVICES:
    inner_products.register_autocast(_device, torch.float32)
