"""Two network namespaces with a cable between them, and `torchrun` on each: as far as TCP goes, two machines."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

ADDRESSES = ("10.213.77.1", "10.213.77.2")


class NoNamespacesError(Exception):
    """Network namespaces cannot be made here; the message says why."""


def _end_of_cable(number: int) -> str:
    return f"sc{os.getpid() % 100_000}{'ab'[number]}"


@contextmanager
def two_hosts() -> Iterator[tuple[str, str]]:
    """The names of two namespaces, each with its own end of a cable."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        raise NoNamespacesError("making network namespaces needs root and the command ip (Debian: iproute2)")
    names = (f"supcon-{os.getpid()}-a", f"supcon-{os.getpid()}-b")
    cable = (_end_of_cable(0), _end_of_cable(1))
    made = [["netns", "add", name] for name in names] + [["link", "add", cable[0], "type", "veth", "peer", cable[1]]]
    try:
        for words in made:
            if subprocess.run(["ip", *words], capture_output=True).returncode:
                raise NoNamespacesError("no network namespaces here")
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
def torchrun(
    host: str, number: int, work: Sequence[str], log: Path, port: int = 29471
) -> Iterator["subprocess.Popen[bytes]"]:
    """`torchrun WORK` on one of the hosts, as its user would start it there; killed with its workers at the end."""
    words = [
        *("ip", "netns", "exec", host, sys.executable, "-m", "torch.distributed.run", "--nnodes", "2"),
        *("--nproc-per-node", "1", "--max-restarts", "3", "--rdzv-backend", "c10d", "--rdzv-id", "supcon"),
        *("--rdzv-endpoint", f"{ADDRESSES[0]}:{port}", "--local-addr", ADDRESSES[number]),
        # Both namespaces have this machine's name, by which torchrun would find the host of the rendezvous.
        *("--rdzv-conf", f"is_host={int(number == 0)},keep_alive_interval=2"),
        *work,
    ]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "NODES": "2", "GLOO_SOCKET_IFNAME": _end_of_cable(number)}
    # Else the host of the store announces its port in the first round alone, and a host that joins later waits for it.
    environment["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = "1"
    with log.open("ab") as file:
        process = subprocess.Popen(words, env=environment, stdout=file, stderr=file, start_new_session=True)
    try:
        yield process
    finally:
        # The workers have sessions of their own: a host is lost with all that runs on it.
        while lost := _processes_of(host):
            for number in lost:
                with suppress(ProcessLookupError):  # it ended with one that was killed before
                    os.kill(number, signal.SIGKILL)
            process.poll()
            time.sleep(0.02)
        process.wait()


def _processes_of(host: str) -> list[int]:
    found = subprocess.run(["ip", "netns", "pids", host], capture_output=True, text=True).stdout.split()
    return [int(number) for number in found]
