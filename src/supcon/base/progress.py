"""The progress bar of everything that takes longer than a second. It is on stderr; stdout has only results."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import timedelta
from threading import Lock

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from supcon.base.processes import is_first_process

Advance = Callable[..., None]
"""`advance()` moves the bar by one step, `advance(steps=n)` by n; `note="loss 0.31"` is shown next to the bar."""

Bar = Callable[[str, int, str], AbstractContextManager[Advance]]
"""`bar(description, total, unit)` shows a bar and yields the function that advances it."""


def say(text: str) -> None:
    """Prints a message on stderr, in the first process only."""
    if not is_first_process():
        return
    Console(stderr=True, highlight=False, soft_wrap=True).print(text, markup=False)


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Shows a spinner during something of unknown duration, such as importing torch."""
    console = Console(stderr=True)
    if not console.is_terminal or not is_first_process():
        yield
        return
    with console.status(f"[dim]{text}[/]"):
        yield


@contextmanager
def bar(description: str, total: int, unit: str = "", done: int = 0) -> Iterator[Advance]:
    """A progress bar with the time left; a line at every 10 % if stderr is not a terminal.

    `done` steps were done before, for example by a resumed run, and do not count for the speed. In a distributed
    training only the first process shows it.

    >>> with bar("counting", 3) as advance:
    ...     advance()
    """
    console = Console(stderr=True)
    shown = _live if console.is_terminal else _lines
    if not is_first_process():
        shown = _silence
    with shown(console, description, total, unit, done) as advance:
        yield advance


def no_bar(description: str, total: int, unit: str = "") -> AbstractContextManager[Advance]:
    """A bar that shows nothing, for short work and for use as a library."""
    del description, total, unit
    return nullcontext(lambda steps=1, note=None: None)


@contextmanager
def _live(console: Console, description: str, total: int, unit: str, done: int) -> Iterator[Advance]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=28),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeElapsedColumn(),
        TextColumn("[dim]left[/]"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(description.ljust(20), total=total, completed=done, note="")

        def advance(steps: int = 1, note: str | None = None) -> None:
            progress.advance(task, steps)
            if note is not None:
                progress.update(task, note=note)

        yield advance


@contextmanager
def _silence(console: Console, description: str, total: int, unit: str, done: int) -> Iterator[Advance]:
    del console, description, total, unit, done
    yield lambda steps=1, note=None: None


@contextmanager
def _lines(console: Console, description: str, total: int, unit: str, done: int) -> Iterator[Advance]:
    del console
    last_note, start, before = "", time.monotonic(), done
    lock = Lock()  # decoders advance from several threads

    def advance(steps: int = 1, note: str | None = None) -> None:
        nonlocal done, last_note
        with lock:
            tenth = done * 10 // max(total, 1)
            done += steps
            last_note = last_note if note is None else note
            if done * 10 // max(total, 1) > tenth:
                left = _time_left(done - before, total - before, time.monotonic() - start)
                line = f"{description}: {done}/{total} {unit} {last_note}".rstrip() + left
                print(line, file=sys.stderr, flush=True)

    yield advance


def _time_left(done: int, total: int, seconds: float) -> str:
    """The time left at the current speed, as text; empty if it rounds to zero.

    >>> _time_left(10, 100, 20.0)
    ', 0:03:00 left'
    """
    left = round(seconds * (total - done) / done)
    return f", {timedelta(seconds=left)} left" if left > 0 else ""
