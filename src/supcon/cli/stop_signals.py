"""Signals that stop a command: Ctrl-C, a closed terminal (SIGHUP), and a scheduler's or `kill`'s SIGTERM."""

import signal
from types import FrameType

_NAMES = {signal.SIGHUP: "its terminal was closed (SIGHUP)", signal.SIGTERM: "it was told to end (SIGTERM)"}
_received: list[int] = []
"""The stop signals so far. Kept here, because Lightning sets the handlers back to those before its training."""


def stop_on_signals() -> None:
    """Makes the first stop signal raise KeyboardInterrupt; a second one must not interrupt the cleanup.

    A signal that is ignored, as SIGHUP under nohup, stays ignored.
    """
    _received.clear()
    for number in (signal.SIGINT, *_NAMES):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    del frame
    _received.append(number)
    if len(_received) > 1:  # the cleanup takes a second or two; a third signal ends the process at once
        signal.signal(number, signal.SIG_DFL)
        return
    reason = _NAMES.get(signal.Signals(number))
    raise KeyboardInterrupt(*([reason] if reason else []))
