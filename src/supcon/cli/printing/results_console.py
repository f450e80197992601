"""The console of results on stdout: no wider than a terminal, and without any limit in a pipe or a file."""

from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.text import Text

_UNLIMITED = 100_000
"""Characters of a line that no terminal shows: two of the longest paths and more."""
_SHORTEST_PATH = 16
"""Characters to which a path is shortened at most."""


def results_console() -> Console:
    """A console that never breaks a line in a pipe or a file, where programs read it."""
    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = _UNLIMITED
    return console


class PathCell:
    """A path in a table: one line, shortened in the middle where the terminal is too narrow for it."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        yield Text(shortened(self.path, options.max_width), no_wrap=True)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        whole = min(cell_len(self.path), options.max_width)
        return Measurement(min(_SHORTEST_PATH, whole), whole)


def shortened(path: str, width: int) -> str:
    """The path in at most `width` characters; more is left of its end, which has the file's name.

    >>> shortened("photos/ants/20935278_9190345f6b.jpg", 20)
    'photos…190345f6b.jpg'
    """
    if cell_len(path) <= width:
        return path
    start = max(width - 1, 0) // 3
    end = max(width - 1 - start, 0)
    return f"{set_cell_size(path, start)}…{set_cell_size(path[::-1], end)[::-1]}"
