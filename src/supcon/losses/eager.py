"""What the losses keep torch from doing to them: tracing their loops, and computing their products in 16 bits."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import ParamSpec, TypeVar, cast

import torch

P = ParamSpec("P")
R = TypeVar("R")


def eager(function: Callable[P, R]) -> Callable[P, R]:
    """The same function, never traced: a model under `torch.compile` breaks its graph there and goes on behind it.

    Traced, a loop over tiles would be unrolled into thousands of operations for every batch size anew.
    """
    untraced = cast(Callable[P, R], torch.compiler.disable(function))

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        # Outside of a compiled model, which is nearly always, the detour would cost a tenth of a small batch's time.
        return untraced(*args, **kwargs) if torch.compiler.is_compiling() else function(*args, **kwargs)

    return call


def full_precision(device: torch.device) -> AbstractContextManager[object]:
    """A context without autocast; nothing at all where there is none."""
    if torch.is_autocast_enabled(device.type):
        return torch.autocast(device.type, enabled=False)
    return nullcontext()
