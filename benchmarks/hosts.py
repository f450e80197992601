"""A training on two hosts, one of which is lost: the whole command, with torchrun in two network namespaces.

`torchrun --nnodes 2 --max-restarts 3 ... -m supcon train digits --resume` runs on both; after four epochs everything on
the second host is killed, and the same command is started there again. The weights must be equal to the bit to those of
the same training on two hosts that nothing happened to. Needs root and `ip` (Debian: iproute2).

    python benchmarks/hosts.py [--quick] [--json F]
"""

import hashlib
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from _table import Figure, benchmark

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from references.two_hosts import NoNamespacesError, torchrun, two_hosts
from supcon.base.metrics_table import read_metrics

Hosts = tuple[str, str]


def command(run: Path, epochs: int) -> list[str]:
    words = ["-m", "supcon", "train", "digits", "--epochs", str(epochs), "--stage1.knn_every", "0"]
    return [*words, "--num-nodes", "2", "--out", str(run), "--resume"]


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 900) -> float:
    """The seconds that it took."""
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > seconds:
            sys.exit(f"{what}: not after {seconds:.0f} seconds")
        time.sleep(0.1)
    return time.monotonic() - start


def epochs_done(run: Path) -> int:
    table = run / "stage1" / "metrics.csv"
    return len(read_metrics(table)) if table.exists() else 0


def train_undisturbed(hosts: Hosts, run: Path, epochs: int) -> None:
    words, log = command(run, epochs), run.with_suffix(".log")
    with torchrun(hosts[0], 0, words, log, 29472) as first, torchrun(hosts[1], 1, words, log, 29472) as second:
        wait_until(lambda: first.poll() is not None and second.poll() is not None, "the training")
    check(first.returncode == second.returncode == 0, log)


def train_with_a_loss(hosts: Hosts, run: Path, epochs: int) -> tuple[float, float]:
    """The seconds after which the first host had noticed, and those from the second start to the end."""
    words, log = command(run, epochs), run.with_suffix(".log")
    with torchrun(hosts[0], 0, words, log) as first:
        with torchrun(hosts[1], 1, words, log):
            wait_until(lambda: epochs_done(run) >= 4, "the first epochs")
        noticed = wait_until(lambda: "Another process of this run has stopped" in log.read_text(), "the message")
        check(epochs_done(run) < epochs and first.poll() is None, log)
        with torchrun(hosts[1], 1, words, log) as second:
            ended = wait_until(lambda: first.poll() is not None and second.poll() is not None, "the end")
    check(first.returncode == second.returncode == 0, log)
    return noticed, ended


def check(right: bool, log: Path) -> None:
    if not right:
        sys.exit(f"not as expected; the end of the log:\n{log.read_text()[-3000:]}")


def weights(run: Path) -> str:
    return hashlib.sha256((run / "model.safetensors").read_bytes()).hexdigest()


def measure(quick: bool) -> list[Figure]:
    """It raises an error if anything is lost."""
    epochs = 8 if quick else 20
    with tempfile.TemporaryDirectory() as work:
        lost, whole = Path(work) / "lost", Path(work) / "whole"
        try:
            with two_hosts() as hosts:
                noticed, ended = train_with_a_loss(hosts, lost, epochs)
                train_undisturbed(hosts, whole, epochs)
        except NoNamespacesError as reason:
            print(f"not measured: {reason}")
            sys.exit(0)
        check(weights(lost) == weights(whole), lost.with_suffix(".log"))
    return [
        Figure(name="the other host has noticed after", value=noticed, unit="s"),
        Figure(name="from the second start to the finished run", value=ended, unit="s"),
        Figure(name="bytes of the weights that differ", value=0, unit="bytes"),
    ]


if __name__ == "__main__":
    benchmark(__doc__ or "", measure)
