"""The end of a process that trained together with others."""

import atexit
import os
import sys


def end_process_of_group(code: int) -> None:
    """Ends this process with the exit code if it has a process group; returns if it has none.

    gloo's threads can outlive the group, because DistributedDataParallel holds on to it. One that needs the
    interpreter while it is shut down aborts the process ("terminate called without an active exception"), and a
    launcher takes a finished training for a failed one. So the interpreter is not shut down: what is registered for
    the exit is run (Lightning leaves the group there), and the process ends.
    """
    distributed = sys.modules.get("torch.distributed")  # not imported: most commands do without torch
    if distributed is None or not (distributed.is_available() and distributed.is_initialized()):
        return
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code)
