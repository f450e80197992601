"""Which of several processes that train together this one is, known before torch or Lightning are imported."""

import os


def is_first_process() -> bool:
    """Whether this process is the one that writes the run's folder and talks to the person who waits.

    torchrun, SLURM and Lightning number processes in the environment; Lightning starts the others of a machine by
    running the same command again with LOCAL_RANK set. A process that is alone has no number and is the first.
    """
    if "RANK" in os.environ:
        return int(os.environ["RANK"]) == 0
    return not any(int(os.environ.get(name, 0)) for name in ("NODE_RANK", "LOCAL_RANK", "SLURM_PROCID"))
