import os
import random

import pytest
import torch
from lightning import seed_everything

from references.random_states import random_states_stay
from supcon.base.random_state import kept_random_state

VARIABLES = ("PL_GLOBAL_SEED", "PL_SEED_WORKERS")


@pytest.mark.parametrize("value", [None, "5"])
def test_the_caller_draws_on_as_if_nothing_was_seeded(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False) if value is None else monkeypatch.setenv(name, value)
    with random_states_stay():
        python, seed = random.getstate(), torch.initial_seed()
        with kept_random_state():
            seed_everything(7, workers=True, verbose=False)
            torch.rand(3)
        assert (random.getstate(), torch.initial_seed()) == (python, seed)
    assert [os.environ.get(name) for name in VARIABLES] == [value, value]


def test_an_error_passes_and_the_states_are_put_back() -> None:
    @kept_random_state()
    def fail() -> None:
        seed_everything(7, verbose=False)
        raise KeyboardInterrupt

    for _ in range(2):  # a decorated function can be called again
        with random_states_stay(), pytest.raises(KeyboardInterrupt):
            fail()


def test_the_states_of_gpus_are_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a GPU: the calls of torch are replaced."""
    states, given = [torch.zeros(16, dtype=torch.uint8)], list[object]()
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_rng_state_all", lambda: states)
    monkeypatch.setattr(torch.cuda, "set_rng_state_all", given.append)
    with kept_random_state():
        pass
    assert given == [states]


def test_a_gpu_that_was_not_used_before_starts_with_the_callers_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []
    torch.manual_seed(11)
    monkeypatch.setattr(torch.cuda, "manual_seed_all", seeds.append)
    with kept_random_state():
        torch.manual_seed(0)
    assert seeds == [0, 11]
