"""Real processes that are killed, on one machine and on two: the others end, and a new start goes on."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from references import shared_training
from supcon.base.metrics_table import read_metrics

pytestmark = pytest.mark.timeout(600)
SCRIPT = shared_training.__file__
ADDRESSES = ("10.213.77.1", "10.213.77.2")


def wait_until(condition: Callable[[], bool], seconds: float = 240) -> None:
    end = time.monotonic() + seconds
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
    command = [sys.executable, SCRIPT, str(tmp_path), "2", "0", "0", "slow"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    log = tmp_path / "said.txt"
    with log.open("wb") as file:
        first = subprocess.Popen(command, env=environment, stderr=file)
    wait_until((tmp_path / "checkpoints" / "last.ckpt").exists)
    (second,) = [child for child in children(first.pid) if SCRIPT in Path(f"/proc/{child}/cmdline").read_text()]
    os.kill((first.pid, second)[killed], signal.SIGKILL)
    start = time.monotonic()
    wait_until(lambda: first.poll() is not None and not is_running(second), 60)
    assert time.monotonic() - start < 60
    assert first.returncode not in (0, None)
    assert len(read_metrics(tmp_path / "metrics.csv")) < 8
    said = log.read_text()
    assert "Traceback" not in said
    if killed == 1:
        assert "Another process of this run has stopped" in said


@pytest.fixture
def two_hosts() -> Iterator[tuple[str, str]]:
    """Two network namespaces, each with its own end of a cable: as far as TCP goes, two machines."""
    names = (f"supcon-{os.getpid()}-a", f"supcon-{os.getpid()}-b")
    cable = (f"sc{os.getpid() % 100_000}a", f"sc{os.getpid() % 100_000}b")
    if os.name != "posix" or os.geteuid() != 0:
        pytest.skip("making network namespaces needs root")
    made = [["netns", "add", name] for name in names] + [["link", "add", cable[0], "type", "veth", "peer", cable[1]]]
    try:
        for words in made:
            if subprocess.run(["ip", *words], capture_output=True).returncode:
                pytest.skip("no network namespaces here")
        for name, end, address in zip(names, cable, ADDRESSES, strict=True):
            inside = ["ip", "netns", "exec", name, "ip"]
            subprocess.run(["ip", "link", "set", end, "netns", name], check=True)
            subprocess.run([*inside, "addr", "add", f"{address}/24", "dev", end], check=True)
            subprocess.run([*inside, "link", "set", end, "up"], check=True)
            subprocess.run([*inside, "link", "set", "lo", "up"], check=True)
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)


@contextmanager
def torchrun(host: str, number: int, folder: Path, log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """`torchrun` on one of the hosts, as its user would start it there; killed with its workers at the end."""
    words: Sequence[str] = [
        *("ip", "netns", "exec", host, sys.executable, "-m", "torch.distributed.run", "--nnodes", "2"),
        *("--nproc-per-node", "1", "--max-restarts", "3", "--rdzv-backend", "c10d", "--rdzv-id", "supcon"),
        *("--rdzv-endpoint", f"{ADDRESSES[0]}:29471", "--local-addr", ADDRESSES[number]),
        # Both namespaces have this machine's name, by which torchrun would find the host of the rendezvous.
        *("--rdzv-conf", f"is_host={int(number == 0)},keep_alive_interval=1"),
        *(SCRIPT, str(folder), "1", "0", "0", "slow"),
    ]
    cable = f"sc{os.getpid() % 100_000}{'ab'[number]}"
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "NODES": "2", "GLOO_SOCKET_IFNAME": cable}
    # Else the host of the store announces its port in the first round alone, and a host that joins later waits for it.
    environment["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = "1"
    with log.open("ab") as file:
        process = subprocess.Popen(words, env=environment, stdout=file, stderr=file, start_new_session=True)
    try:
        yield process
    finally:
        # The workers have sessions of their own: a host is lost with all that runs on it.
        found = subprocess.run(["ip", "netns", "pids", host], capture_output=True, text=True).stdout.split()
        for lost in map(int, found):
            os.kill(lost, signal.SIGKILL)
        process.wait()


def test_two_hosts_one_of_which_is_lost(two_hosts: tuple[str, str], tmp_path: Path) -> None:
    """torchrun brings the job back when the lost host does; the losses are those of one process, step by step."""
    shared_training.train(tmp_path / "one", 1, None, 0)
    both, logs = tmp_path / "both", (tmp_path / "a.log", tmp_path / "b.log")
    with torchrun(two_hosts[0], 0, both, logs[0]) as first:
        with torchrun(two_hosts[1], 1, both, logs[1]):
            wait_until(lambda: len(read_metrics(both / "metrics.csv")) >= 2)
        # Within a minute the process on the host that is left has ended, too, and said why.
        wait_until(lambda: "Another process of this run has stopped" in logs[0].read_text(), 60)
        assert len(read_metrics(both / "metrics.csv")) < 8
        assert first.poll() is None
        with torchrun(two_hosts[1], 1, both, logs[1]) as second:
            wait_until(lambda: first.poll() is not None and second.poll() is not None)
    said = "\n".join(log.read_text()[-3000:] for log in logs)
    assert (first.returncode, second.returncode) == (0, 0), said
    found, whole = read_metrics(both / "metrics.csv"), read_metrics(tmp_path / "one" / "metrics.csv")
    assert list(found) == list(whole) == list(range(1, 9))
    for epoch in whole:
        assert found[epoch]["train/loss"] == pytest.approx(whole[epoch]["train/loss"], abs=1e-4)
