"""Signals that stop a command: Ctrl-C, a closed terminal (SIGHUP), and a scheduler's or `kill`'s SIGTERM."""

import signal
from types import FrameType

_NAMES = {signal.SIGHUP: "its terminal was closed (SIGHUP)", signal.SIGTERM: "it was told to end (SIGTERM)"}


def stop_on_signals() -> None:
    """Makes every stop signal raise KeyboardInterrupt, once: a second one must not break into the cleaning up.

    A signal that is ignored, as SIGHUP under nohup, stays ignored. The third Ctrl-C ends the process at once.
    """
    for number in (signal.SIGINT, *_NAMES):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    del frame
    for other in (signal.SIGINT, *_NAMES):
        if signal.getsignal(other) is _stop:
            signal.signal(other, _end_next_time)
    reason = _NAMES.get(signal.Signals(number))
    raise KeyboardInterrupt(*([reason] if reason else []))


def _end_next_time(number: int, frame: FrameType | None) -> None:
    """The second signal: cleaning up takes a second or two; who is still in a hurry sends a third."""
    del frame
    signal.signal(number, signal.SIG_DFL)
