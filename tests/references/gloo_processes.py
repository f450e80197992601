"""Several real processes that talk through gloo."""

import os
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.multiprocessing.spawn import spawn

LIMIT = timedelta(seconds=200)
"""How long a collective operation waits for the other processes."""


def in_processes(work: Callable[..., None], processes: int, folder: Path, *arguments: Any) -> None:
    """Runs work(rank, processes, *arguments) in every process; the first error is raised here."""
    spawn(_join_and_work, args=(work, processes, str(folder / "rendezvous"), arguments), nprocs=processes)


def _join_and_work(
    rank: int, work: Callable[..., None], processes: int, rendezvous: str, arguments: tuple[Any, ...]
) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{rendezvous}", rank=rank, world_size=processes, timeout=LIMIT)
    try:
        work(rank, processes, *arguments)
    finally:
        dist.destroy_process_group()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    # DistributedDataParallel keeps the group and its threads alive, and a thread of gloo that needs the interpreter
    # while it shuts down aborts the process. One CI run in some hundreds ended so.
    os._exit(0)
