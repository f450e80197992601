"""The rank of this process in a distributed training, without importing torch or Lightning."""

import os


def is_first_process() -> bool:
    """Whether this process has rank 0, which writes the run's folder and prints.

    torchrun, SLURM and Lightning set ranks as environment variables; Lightning starts the other processes of a machine
    by running the same command with LOCAL_RANK set. A single process has no rank and is the first.
    """
    if "RANK" in os.environ:
        return int(os.environ["RANK"]) == 0
    return not any(int(os.environ.get(name, 0)) for name in ("NODE_RANK", "LOCAL_RANK", "SLURM_PROCID"))
