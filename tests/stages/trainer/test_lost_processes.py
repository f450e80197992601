"""Real processes that are killed, on one machine and on two: the others end, and a new start goes on."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from references import shared_training
from references.two_hosts import NoNamespacesError, torchrun, two_hosts
from supcon.base.metrics_table import read_metrics

pytestmark = pytest.mark.timeout(1200)
SCRIPT = shared_training.__file__


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 240
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def children(process: int) -> list[int]:
    found = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(word) for word in found]


def is_running(process: int) -> bool:
    state = Path(f"/proc/{process}/stat")
    return state.exists() and state.read_text().rsplit(") ", 1)[1][0] != "Z"


@pytest.mark.parametrize("killed", [0, 1])
def test_one_of_two_processes_is_killed(tmp_path: Path, killed: int) -> None:
    command = [sys.executable, SCRIPT, str(tmp_path), "2", "0", "0", "held"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    log = tmp_path / "said.txt"
    with log.open("wb") as file:
        first = subprocess.Popen(command, env=environment, stderr=file)
    wait_until((tmp_path / "checkpoints" / "last.ckpt").exists)
    (second,) = [child for child in children(first.pid) if SCRIPT in Path(f"/proc/{child}/cmdline").read_text()]
    os.kill((first.pid, second)[killed], signal.SIGKILL)
    (tmp_path / "go").touch()
    wait_until(lambda: first.poll() is not None and not is_running(second))
    assert first.returncode not in (0, None)
    assert len(read_metrics(tmp_path / "metrics.csv")) < 8
    said = log.read_text()
    assert "Traceback" not in said
    if killed == 1:
        assert "Another process of this run has stopped" in said


@pytest.fixture
def hosts() -> Iterator[tuple[str, str]]:
    with ExitStack() as stack:
        try:
            names = stack.enter_context(two_hosts())
        except NoNamespacesError as reason:
            pytest.skip(str(reason))
        yield names


def test_two_hosts_one_of_which_is_lost(hosts: tuple[str, str], tmp_path: Path) -> None:
    """torchrun brings the job back when the lost host does; the losses are those of one process, step by step."""
    shared_training.train(tmp_path / "one", 1, None, 0)
    both, logs = tmp_path / "both", (tmp_path / "a.log", tmp_path / "b.log")
    work = [SCRIPT, str(both), "1", "0", "0", "held"]
    with torchrun(hosts[0], 0, work, logs[0]) as first:
        with torchrun(hosts[1], 1, work, logs[1]):
            wait_until(lambda: len(read_metrics(both / "metrics.csv")) >= 2)
        (both / "go").touch()
        # The process on the host that is left ends, too, and says why.
        wait_until(lambda: "Another process of this run has stopped" in logs[0].read_text())
        assert len(read_metrics(both / "metrics.csv")) < 8
        assert first.poll() is None
        with torchrun(hosts[1], 1, work, logs[1]) as second:
            wait_until(lambda: first.poll() is not None and second.poll() is not None)
    said = "\n".join(log.read_text()[-3000:] for log in logs)
    assert (first.returncode, second.returncode) == (0, 0), said
    found, whole = read_metrics(both / "metrics.csv"), read_metrics(tmp_path / "one" / "metrics.csv")
    assert list(found) == list(whole) == list(range(1, 9))
    for epoch in whole:
        assert found[epoch]["train/loss"] == pytest.approx(whole[epoch]["train/loss"], abs=1e-4)
