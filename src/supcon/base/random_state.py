"""Leaves the global random states of a process as they were."""

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

_VARIABLES = ("PL_GLOBAL_SEED", "PL_SEED_WORKERS")
"""Environment variables that Lightning's `seed_everything` sets."""


@contextmanager
def kept_random_state() -> Iterator[None]:
    """Puts the global random states and Lightning's environment variables back at the end, also after an error.

    Training seeds all of them. If they stayed so, whatever the caller draws after each training, such as the splits of
    a cross-validation, would be the same numbers every time. Usable as a decorator.
    """
    python, array, tensor = random.getstate(), np.random.get_state(), torch.get_rng_state()
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
    variables = {name: os.environ.get(name) for name in _VARIABLES}
    try:
        yield
    finally:
        torch.set_rng_state(tensor)
        _restore_cuda(cuda)
        _restore_environment(variables)
        np.random.set_state(array)
        random.setstate(python)  # last: beartype, which checks types in the tests, draws from it


def _restore_cuda(states: list[torch.Tensor] | None) -> None:
    if states is not None:
        torch.cuda.set_rng_state_all(states)
    else:
        # Before CUDA is initialized there is no state, only the seed that it will start with: that of the CPU.
        torch.cuda.manual_seed_all(torch.initial_seed())


def _restore_environment(variables: dict[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
