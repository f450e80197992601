"""How the process gets memory from the system."""

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_MAX = -1, -4
"""Names of malloc's parameters, from glibc's malloc.h."""


def use_memory_again() -> None:
    """Keep what torch frees on the CPU for its next step.

    A training step frees what it allocated. Blocks above 32 MB would go back to the system each time and come again
    page by page, every page cleared: with small-resnet and 128 images of 32 pixels a sixth of the processor time. Only
    for a process that is ours alone, such as a command's; without glibc nothing happens.
    """
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_MAX, 0)
        mallopt(_TRIM_THRESHOLD, -1)
