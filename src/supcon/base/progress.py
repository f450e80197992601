"""One progress bar for everything that takes longer than a second. On stderr, so that results stay alone on stdout."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import timedelta
from threading import Lock

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from supcon.base.processes import is_first_process

Advance = Callable[..., None]
"""`advance()` moves the bar by one; `advance(note="loss 0.31")` also says how it goes; `steps=n` moves it by n."""

Bar = Callable[[str, int, str], AbstractContextManager[Advance]]
"""`bar(description, total, unit)` shows a bar and gives the function that advances it."""


def say(text: str) -> None:
    """A sentence for the person who waits; of several processes the first one says it."""
    if not is_first_process():
        return
    Console(stderr=True, highlight=False, soft_wrap=True).print(text, markup=False)


def say_table(table: Table) -> None:
    """A table for the person who waits, no wider than the terminal, or 80 columns where there is none."""
    if is_first_process():
        Console(stderr=True, highlight=False).print(table)


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """A moving sign while something takes seconds that nobody can count, such as importing torch."""
    console = Console(stderr=True)
    if not console.is_terminal or not is_first_process():
        yield
        return
    with console.status(f"[dim]{text}[/]"):
        yield


@contextmanager
def bar(description: str, total: int, unit: str = "", done: int = 0) -> Iterator[Advance]:
    """A bar with time left; a line every tenth of the way where stderr is no terminal.

    `done` steps were done before, and say nothing about the speed. Where several processes work together, only the
    first one shows it.

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
    """Nothing to see, for what is short or called by programs."""
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
    one_at_a_time = Lock()  # decoders advance from several threads

    def advance(steps: int = 1, note: str | None = None) -> None:
        nonlocal done, last_note
        with one_at_a_time:
            tenth = done * 10 // max(total, 1)
            done += steps
            last_note = last_note if note is None else note
            if done * 10 // max(total, 1) > tenth:
                left = _time_left(done - before, total - before, time.monotonic() - start)
                line = f"{description}: {done}/{total} {unit} {last_note}".rstrip() + left
                print(line, file=sys.stderr, flush=True)

    yield advance


def _time_left(done: int, total: int, seconds: float) -> str:
    """As long as the rest will take at the same speed; nothing where that is no time at all.

    >>> _time_left(10, 100, 20.0)
    ', 0:03:00 left'
    """
    left = round(seconds * (total - done) / done)
    return f", {timedelta(seconds=left)} left" if left > 0 else ""
