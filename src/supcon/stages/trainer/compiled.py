"""torch.compile during the training of a stage."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def compiled(module: nn.Module, wanted: bool) -> Iterator[None]:
    """Compiles `module` in place if `wanted`, so parameter names, and thus checkpoints, stay the same."""
    if not wanted:
        yield
        return
    module.compile()
    try:
        yield
    finally:
        module._compiled_call_impl = None
