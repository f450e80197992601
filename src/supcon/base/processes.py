"""The rank of this process in a distributed training, without importing torch or Lightning."""

import os

_RANKS = ("RANK", "LOCAL_RANK", "NODE_RANK", "GROUP_RANK", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID")
_COUNTS = ("WORLD_SIZE", "LOCAL_WORLD_SIZE", "SLURM_NTASKS", "SLURM_NTASKS_PER_NODE", "JSM_NAMESPACE_RANK")


def is_first_process() -> bool:
    """Whether this process has rank 0, which writes the run's folder and prints.

    torchrun, SLURM and Lightning set ranks as environment variables; Lightning starts the other processes of a machine
    by running the same command with LOCAL_RANK set. A single process has no rank and is the first.
    """
    if (rank := number_of("RANK")) is not None:
        return rank == 0
    return not any(number_of(name) for name in ("NODE_RANK", "LOCAL_RANK", "SLURM_PROCID"))


def number_of(name: str) -> int | None:
    """The number in an environment variable; None if it is not set or no number."""
    value = os.environ.get(name, "").strip()
    return int(value) if value.isdecimal() else None


def drop_useless_ranks() -> list[str]:
    """Removes the launchers' variables that hold no number, on which Lightning would fail; returns them as NAME=VALUE.

    SLURM's forms such as `4(x2)` stay: Lightning can read them.
    """
    useless = {
        name: os.environ[name]
        for name in (*_RANKS, *_COUNTS)
        if name in os.environ and not os.environ[name].strip()[:1].isdecimal()
    }
    useless |= {name: os.environ[name] for name in _RANKS if name in os.environ and number_of(name) is None}
    for name in useless:
        del os.environ[name]
    return [f"{name}={value}" for name, value in useless.items()]


def started_by_srun() -> bool:
    """Whether SLURM started this process as one of several; a shell inside a job only has SLURM's variables."""
    return number_of("SLURM_PROCID") is not None and number_of("SLURM_STEP_ID") is not None
