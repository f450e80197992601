import pytest

from supcon.base.processes import is_first_process

NAMES = ("RANK", "NODE_RANK", "LOCAL_RANK", "SLURM_PROCID")


@pytest.mark.parametrize(
    ("environment", "first"),
    [
        ({}, True),
        ({"RANK": "0", "LOCAL_RANK": "0"}, True),
        ({"RANK": "8", "LOCAL_RANK": "0"}, False),  # torchrun, the second machine's first process
        ({"LOCAL_RANK": "0", "NODE_RANK": "0"}, True),
        ({"LOCAL_RANK": "1", "NODE_RANK": "0"}, False),
        ({"LOCAL_RANK": "0", "NODE_RANK": "1"}, False),
        ({"SLURM_PROCID": "0"}, True),
        ({"SLURM_PROCID": "3"}, False),
    ],
)
def test_one_process_is_the_first(environment: dict[str, str], first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert is_first_process() == first
