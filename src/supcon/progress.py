"""One progress bar for everything that takes longer than a second. On stderr, so that results stay alone on stdout."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

Advance = Callable[..., None]
"""`advance()` moves the bar by one; `advance(note="loss 0.31")` also says how it goes; `steps=n` moves it by n."""

Bar = Callable[[str, int, str], AbstractContextManager[Advance]]
"""`bar(description, total, unit)` shows a bar and gives the function that advances it."""


def say(text: str) -> None:
    """A sentence for the person who waits."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(text, markup=False)


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """A moving sign while something takes seconds that nobody can count, such as importing torch."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(f"[dim]{text}[/]"):
        yield


@contextmanager
def bar(description: str, total: int, unit: str = "") -> Iterator[Advance]:
    """A bar with time left; a line every tenth of the way where stderr is no terminal.

    >>> with bar("counting", 3) as advance:
    ...     advance()
    """
    console = Console(stderr=True)
    shown = _live if console.is_terminal else _lines
    with shown(console, description, total, unit) as advance:
        yield advance


def no_bar(description: str, total: int, unit: str = "") -> AbstractContextManager[Advance]:
    """Nothing to see, for what is short or called by programs."""
    del description, total, unit
    return nullcontext(lambda steps=1, note=None: None)


@contextmanager
def _live(console: Console, description: str, total: int, unit: str) -> Iterator[Advance]:
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
        task = progress.add_task(description.ljust(20), total=total, note="")

        def advance(steps: int = 1, note: str | None = None) -> None:
            progress.advance(task, steps)
            if note is not None:
                progress.update(task, note=note)

        yield advance


@contextmanager
def _lines(console: Console, description: str, total: int, unit: str) -> Iterator[Advance]:
    del console
    done, last_note = 0, ""

    def advance(steps: int = 1, note: str | None = None) -> None:
        nonlocal done, last_note
        tenth = done * 10 // max(total, 1)
        done += steps
        last_note = last_note if note is None else note
        if done * 10 // max(total, 1) > tenth:
            print(f"{description}: {done}/{total} {unit} {last_note}".rstrip(), file=sys.stderr, flush=True)

    yield advance
