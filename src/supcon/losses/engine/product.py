"""Matrix products in the precision of their inputs, even under autocast or with TF32 enabled.

Both settings also affect the backward pass; therefore the product is a custom operator when one of them is on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

AUTOCAST_DEVICES = ("cpu", "cuda")

_BACKENDS: tuple[Any, ...] = ()
"""Where torch stores the precision of float32 products; empty before torch 2.9, which has one setting for all."""
if hasattr(torch.backends.mkldnn, "matmul") and hasattr(torch.backends.cuda.matmul, "fp32_precision"):
    _BACKENDS = (torch.backends.cuda.matmul, torch.backends.mkldnn.matmul)


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
    return _settings_are_exact()


def _settings_are_exact() -> bool:
    # torch.get_float32_matmul_precision raises an error if TF32 was enabled for a backend.
    if _BACKENDS:
        return all(backend.fp32_precision in ("none", "ieee") for backend in _BACKENDS)
    return torch.get_float32_matmul_precision() == "highest"


def is_refused_by_torch_func(error: RuntimeError) -> bool:
    """Whether the error says that an operation does not support `torch.func` transforms."""
    return "functorch" in str(error)


@contextmanager
def full_precision() -> Iterator[None]:
    """Computes float32 products in float32, without TF32 or bfloat16."""
    if _settings_are_exact():
        yield
        return
    before = [backend.fp32_precision for backend in _BACKENDS]
    for backend in _BACKENDS:
        backend.fp32_precision = "ieee"
    # After the backends, so that it can be read; changed as well, because torch compares it with them.
    of_all = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(of_all)
        for backend, precision in zip(_BACKENDS, before, strict=True):
            _restore(backend, precision)


def _restore(backend: Any, precision: str) -> None:
    # "none": the value of `torch.backends.fp32_precision`, which the user may change later.
    backend.fp32_precision = "none"
    if backend.fp32_precision != precision:
        backend.fp32_precision = precision


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
