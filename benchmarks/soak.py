"""Training in a loop: memory, open files and threads of the process must stay flat.

The same small run (two stages, evaluation, report) is done again and again in one process, with workers that decode
images. The first quarter of the time warms up; growth is that of the median of the last quarter over the second.

    python benchmarks/soak.py [--quick | --full] [--json F]

It takes two minutes, `--quick` twenty seconds, `--full` half an hour.
"""

import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

import torch
from _table import Figure, benchmark

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from references.tiny_run import tiny_images, train_words
from supcon.base.memory import process_memory
from supcon.cli.main import main

FULL = "--full" in sys.argv
Sample = tuple[float, int, int, int]
"""Megabytes, open files, threads, processes."""


def sample() -> Sample:
    processes = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return process_memory() / 1e6, len(os.listdir("/proc/self/fd")), threading.active_count(), len(processes)


def measure(quick: bool) -> list[Figure]:
    """The four figures at the start and their growth."""
    seconds = 20 if quick else 1800 if FULL else 120
    samples: list[Sample] = []
    with tempfile.TemporaryDirectory() as folder:
        data, out = tiny_images(Path(folder) / "images"), Path(folder) / "run"
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            shutil.rmtree(out, ignore_errors=True)
            more = ["--data.hold", "decode"] if len(samples) % 2 else []
            with open(os.devnull, "w") as nothing:
                stdout, stderr, sys.stdout, sys.stderr = sys.stdout, sys.stderr, nothing, nothing
                try:
                    code = main([*train_words(data, out), *more])
                finally:
                    sys.stdout, sys.stderr = stdout, stderr
            if code:
                raise SystemExit(f"run {len(samples) + 1} ended with code {code}")
            samples.append(sample())
            if len(samples) % 20 == 0:
                print(f"{len(samples)} runs: {samples[-1]}", file=sys.stderr, flush=True)
    quarter = max(1, len(samples) // 4)
    before, after = samples[quarter : 2 * quarter] or samples, samples[-quarter:]
    figures = [
        Figure(name="runs in one process", value=len(samples), unit="runs"),
        Figure(name="time", value=seconds, unit="s"),
    ]
    for place, (name, unit) in enumerate(
        (("memory", "MB"), ("open files", "files"), ("threads", "threads"), ("child processes", "processes"))
    ):
        old, new = (median(row[place] for row in rows) for rows in (before, after))
        figures.append(Figure(name=f"{name} after the first quarter", value=old, unit=unit))
        figures.append(Figure(name=f"{name}, growth until the last quarter", value=new - old, unit=unit))
    return figures


if __name__ == "__main__":
    sys.argv = [word for word in sys.argv if word != "--full"]
    torch.set_num_threads(1)
    benchmark(__doc__ or "", measure)
