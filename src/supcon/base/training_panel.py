"""The panel of a stage in training: one live box in a terminal, plain lines elsewhere."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.progress import Progress
from rich.table import Table

from supcon.base.processes import is_first_process
from supcon.base.progress import RoomForEcho, bar, printed_above, progress_columns

_BLOCKS = "▁▂▃▄▅▆▇█"
_WIDTH = 24
"""Characters of a line of history."""


@dataclass(frozen=True)
class Figure:
    """A value of the panel, in words, and as a number for its history; None for those without one."""

    text: str
    value: float | None = None


Show = Callable[[int, str, Mapping[str, Figure]], None]
"""`show(steps, note, figures)` advances by `steps` and replaces the note and the figures that are given."""


@contextmanager
def training_panel(description: str, total: int, unit: str, done: int = 0) -> Iterator[Show]:
    """A box with a progress bar and the figures, each with its history; a line a minute if stderr is no terminal.

    >>> with training_panel("stage 1", 2, "steps") as show:
    ...     show(1, "epoch 1", {"loss": Figure("4.185", 4.185)})
    """
    console = Console(stderr=True, highlight=False)
    if console.is_terminal and is_first_process():
        with _live(console, description, total, unit, done) as show:
            yield show
        return
    with bar(description, total, unit, done) as advance:

        def show_line(steps: int, note: str, figures: Mapping[str, Figure]) -> None:
            words = [f"{name} {figure.text}" for name, figure in figures.items()]
            advance(steps=steps, note=" · ".join([note, *words]))

        yield show_line


class _Box(Progress):
    """The bar and the figures below it, in a frame."""

    def __init__(self, console: Console, heading: str) -> None:
        self.figures: dict[str, Figure] = {}
        self.history: dict[str, list[float]] = {}
        self.heading = heading
        super().__init__(*progress_columns(named=False), console=console, expand=True)  # draws at once

    def get_renderables(self) -> Iterator[RenderableType]:
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(style="cyan", no_wrap=True)
        for name, figure in self.figures.items():
            table.add_row(name, figure.text, sparkline(self.history.get(name, [])))
        content = Group(self.make_tasks_table(self.tasks), table) if self.figures else self.make_tasks_table(self.tasks)
        panel = Panel(content, title=self.heading, title_align="left", border_style="dim", padding=(0, 1))
        yield RoomForEcho(panel)


@contextmanager
def _live(console: Console, description: str, total: int, unit: str, done: int) -> Iterator[Show]:
    with _Box(console, description) as box, printed_above(console):
        task = box.add_task(description, total=total, completed=done, note="", unit=unit, before=done)

        def show(steps: int, note: str, figures: Mapping[str, Figure]) -> None:
            box.heading = f"{description} · {note}"
            box.figures = merged(box.figures, figures)
            for name, figure in figures.items():
                if figure.value is not None:
                    box.history.setdefault(name, []).append(figure.value)
            box.advance(task, steps)

        yield show


def merged(known: Mapping[str, Figure], new: Mapping[str, Figure]) -> dict[str, Figure]:
    """The known values, replaced by new ones of the same name; other new names follow the name before them in `new`.

    >>> list(merged({"loss": Figure("4"), "speed": Figure("9")}, {"loss": Figure("3"), "k-NN": Figure("97 %")}))
    ['loss', 'k-NN', 'speed']
    """
    names = list(known)
    for index, name in enumerate(new):
        if name not in names:
            before = list(new)[index - 1] if index else None
            names.insert(names.index(before) + 1 if before else 0, name)
    return {name: new.get(name, known.get(name, Figure(""))) for name in names}


def sparkline(values: Sequence[float], width: int = _WIDTH) -> str:
    """The values as blocks of different heights, averaged to at most `width` of them.

    >>> sparkline([0, 1, 2, 3]), sparkline([5, 5]), sparkline([])
    ('▁▃▆█', '▁▁', '')
    """
    if not values:
        return ""
    parts = min(width, len(values))
    edges = [len(values) * part // parts for part in range(parts + 1)]
    means = [sum(values[a:b]) / (b - a) for a, b in pairwise(edges)]
    low, high = min(means), max(means)
    steps = (len(_BLOCKS) - 1) / (high - low) if high > low else 0
    return "".join(_BLOCKS[round((value - low) * steps)] for value in means)
