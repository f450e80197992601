"""Ends this process if another one that it started has failed, but not before it could say so itself."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

OTHER_STOPPED = "Another process of this run has stopped; see its error message above."


def watch(children: "Sequence[subprocess.Popen[bytes]]", grace: float = 20) -> None:
    """Starts a thread that ends this process and `children` `grace` seconds after one of them has failed."""
    threading.Thread(target=_watch, args=(children, grace), name="watch-children", daemon=True).start()


def _watch(children: "Sequence[subprocess.Popen[bytes]]", grace: float) -> None:
    codes = [child.poll() for child in children]
    while not any(codes):
        if all(code == 0 for code in codes):
            return
        time.sleep(1)
        codes = [child.poll() for child in children]
    time.sleep(grace)
    for child in children:
        child.send_signal(signal.SIGKILL)  # what waits in a collective operation does not react to gentler signals
    print(f"supcon: {OTHER_STOPPED}", file=sys.stderr, flush=True)
    os._exit(1)
