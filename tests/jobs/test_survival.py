"""Real processes: killed at random moments, and with file operations that fail. `benchmarks/faults.py` does more."""

import random

import pytest

from references.command_server import CommandServer
from references.survival import ERRORS, Survival

pytestmark = pytest.mark.timeout(1200)
KILLS = 50


@pytest.fixture(scope="module")
def survival(tmp_path_factory: pytest.TempPathFactory, command_server: CommandServer) -> Survival:
    return Survival(tmp_path_factory.mktemp("survival"), command_server)


def test_fifty_kills_at_random_moments_lose_nothing(survival: Survival) -> None:
    draw, kills = random.Random(0), 0
    for name in ("evaluate", "report", "transfer"):
        kills += survival.kill_later(name, draw)
    kills += survival.kill_study(draw)
    while kills < KILLS:
        kills += survival.kill_training(draw)


@pytest.mark.parametrize(("later", "cases"), [(None, 8), ("evaluate", 3)])
def test_operations_that_fail_lose_nothing(survival: Survival, later: str | None, cases: int) -> None:
    """Every so many of all operations, with the errors in turn."""
    count = survival.operations(later=later)
    failed = [survival.fault(at, ERRORS[at % 4], later=later) for at in range(5, count, count // cases)]
    assert any(code != 0 for _, code in failed)  # an operation that is only tidying up may fail unnoticed
