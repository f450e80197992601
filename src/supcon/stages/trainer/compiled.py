"""torch.compile for as long as a stage trains."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def compiled(module: nn.Module, wanted: bool) -> Iterator[None]:
    """Compiles `module` in place where `wanted`: its parameters keep their names, and checkpoints fit either way."""
    if not wanted:
        yield
        return
    module.compile()
    try:
        yield
    finally:
        module._compiled_call_impl = None
