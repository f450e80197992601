"""The cores that this process may use."""

import os


def usable_cores() -> int:
    """Cores by the process's affinity and its container's quota; `os.cpu_count` counts those of the machine.

    With a worker for every core of the machine, a container with 4 of 64 cores would run 64 workers on 4.
    """
    from joblib import cpu_count  # takes 0.1 s, and not every command needs it

    return int(cpu_count())


def use_no_more_threads_than_cores() -> None:
    """Lets torch respect a container's quota; it knows the affinity alone. Call it before torch is imported."""
    if usable_cores() < (os.cpu_count() or 1):
        os.environ.setdefault("OMP_NUM_THREADS", str(usable_cores()))
