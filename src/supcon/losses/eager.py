"""Keeps a function out of `torch.compile`'s graph: the compiled model breaks there and goes on behind it.

Traced, a loop over tiles would be unrolled into thousands of operations for every batch size anew.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import torch

P = ParamSpec("P")
R = TypeVar("R")


def eager(function: Callable[P, R]) -> Callable[P, R]:
    """The same function, never traced."""
    return cast(Callable[P, R], torch.compiler.disable(function))
