"""The progress bar of everything that takes longer than a second. It is on stderr; stdout has only results."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Lock

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
)
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from supcon.base.processes import is_first_process

_SECONDS_BETWEEN_LINES = 60
"""In a log file."""
_ECHO = 3
"""Columns of ^C and of the cursor behind it."""

Advance = Callable[..., None]
"""`advance()` moves the bar by one step, `advance(steps=n)` by n; `note="loss 0.31"` is shown next to the bar."""

Bar = Callable[[str, int, str], AbstractContextManager[Advance]]
"""`bar(description, total, unit)` shows a bar and yields the function that advances it."""


def say(text: str) -> None:
    """Prints a sentence to stderr, wrapped at words in a terminal; of several processes only the first prints it."""
    if is_first_process():
        console = _console()
        console.print(text, markup=False, soft_wrap=not console.is_terminal)


def say_table(table: Table) -> None:
    """Prints a table to stderr, no wider than the terminal, or 80 columns where there is none."""
    if is_first_process():
        _console().print(table)


_live_consoles: list[Console] = []
"""The consoles that show a spinner, a bar or a panel at the moment: only through them can lines be printed above it."""


def _console() -> Console:
    return _live_consoles[-1] if _live_consoles else Console(stderr=True, highlight=False)


@contextmanager
def printed_above(console: Console) -> Iterator[None]:
    """Sends the sentences of `say` through the console of a bar, which they would otherwise tear apart."""
    _live_consoles.append(console)
    try:
        yield
    finally:
        _live_consoles.remove(console)


class RoomForEcho:
    """A bar with free columns at its right for the ^C of a terminal, which would wrap there and move the bar."""

    def __init__(self, picture: RenderableType) -> None:
        self.picture = picture

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        yield from console.render(self.picture, options.update_width(max(options.max_width - _ECHO, 1)))


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Shows a spinner during something of unknown duration, such as importing torch."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal or not is_first_process():
        yield
        return
    with console.status(f"[dim]{text}[/]"), printed_above(console):
        yield


@contextmanager
def bar(description: str, total: int, unit: str = "", done: int = 0) -> Iterator[Advance]:
    """A progress bar with [elapsed<remaining, rate] and a note below it; a line a minute if stderr is not a terminal.

    `done` steps were done before, for example by a resumed run, and do not count for the speed. In a distributed
    training only the first process shows it.

    >>> with bar("counting", 3) as advance:
    ...     advance()
    """
    console = Console(stderr=True, highlight=False)
    shown = _live if console.is_terminal else _lines
    if not is_first_process():
        shown = _silence
    with shown(console, description, total, unit, done) as advance:
        yield advance


def no_bar(description: str, total: int, unit: str = "") -> AbstractContextManager[Advance]:
    """A bar that shows nothing, for short work and for use as a library."""
    del description, total, unit
    return nullcontext(lambda steps=1, note=None: None)


class _Times(ProgressColumn):
    """[elapsed<remaining, rate], as tqdm writes it."""

    def render(self, task: Task) -> Text:
        done = int(task.completed) - task.fields["before"]
        text = _times(done, int((task.total or 0) - task.completed), task.elapsed or 0.0, task.fields["unit"])
        return Text(text, no_wrap=True)


def progress_columns(*, named: bool = True) -> list[ProgressColumn]:
    """What stands in the line of a bar; only the bar itself gives way where the terminal is narrow."""
    return [
        *([TextColumn("{task.description}", table_column=Column(no_wrap=True))] if named else []),
        TaskProgressColumn(table_column=Column(no_wrap=True)),
        BarColumn(bar_width=None, table_column=Column(ratio=1)),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        _Times(table_column=Column(no_wrap=True)),
    ]


class _BarAndNote(Progress):
    """The bar on one line, the note on the next: both fit into 80 columns."""

    def get_renderables(self) -> Iterator[RenderableType]:
        for picture in super().get_renderables():
            yield RoomForEcho(picture)
        for task in self.tasks:
            if task.fields["note"]:
                note = Text(f"  {task.fields['note']}", style="dim", no_wrap=True, overflow="ellipsis")
                yield RoomForEcho(note)


@contextmanager
def _live(console: Console, description: str, total: int, unit: str, done: int) -> Iterator[Advance]:
    with _BarAndNote(*progress_columns(), console=console, expand=True) as progress, printed_above(console):
        task = progress.add_task(description, total=total, completed=done, note="", unit=unit, before=done)

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
    said = start
    lock = Lock()  # decoders advance from several threads

    def advance(steps: int = 1, note: str | None = None) -> None:
        nonlocal done, last_note, said
        with lock:
            done += steps
            last_note = last_note if note is None else note
            now = time.monotonic()
            if now - said >= _SECONDS_BETWEEN_LINES or (done >= total and steps):
                said = now
                times = _times(done - before, total - done, now - start, unit)
                line = f"{description}: {done}/{total} {unit} {times} {last_note}"
                print(" ".join(line.split()), file=sys.stderr, flush=True)

    yield advance


def _times(done: int, left: int, seconds: float, unit: str) -> str:
    """The time it took, the time that the rest will take at the same speed, and the speed.

    >>> _times(10, 90, 20.0, "steps"), _times(300, 0, 2.0, "images"), _times(0, 5, 1.0, "steps")
    ('[00:20<03:00, 2.00 s/step]', '[00:02<00:00, 150 images/s]', '[00:01<?]')
    """
    if done == 0 or seconds == 0:
        return f"[{_clock(seconds)}<?]"
    rate = done / seconds
    unit = unit or "steps"
    speed = f"{_number(rate)} {unit}/s" if rate >= 1 else f"{_number(1 / rate)} s/{unit.removesuffix('s')}"
    return f"[{_clock(seconds)}<{_clock(left / rate)}, {speed}]"


def _number(value: float) -> str:
    """Three digits, or all before the point.

    >>> _number(1.2345), _number(12.345), _number(12345.6)
    ('1.23', '12.3', '12,346')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.{2 if value < 10 else 1}f}"


def _clock(seconds: float) -> str:
    """Minutes and seconds, hours in front where there are some.

    >>> _clock(61), _clock(3700)
    ('01:01', '1:01:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes:02}:{rest:02}"
