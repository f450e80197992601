"""Whether a program leaves the global random states as they were."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch


@contextmanager
def random_states_stay() -> Iterator[None]:
    """Checks that the body leaves the states of numpy and torch, and Lightning's seed in the environment, unchanged.

    Not Python's own state: beartype, which checks types in the tests, draws from it at most calls.
    """
    np.random.seed()  # not what an earlier training in this process has left, which the next one would set again
    torch.seed()
    before = _states()
    yield
    assert _states() == before


def _states() -> tuple[object, ...]:
    names = ("PL_GLOBAL_SEED", "PL_SEED_WORKERS")
    return repr(np.random.get_state()), torch.get_rng_state().tolist(), *(os.environ.get(name) for name in names)
