"""Images that could not be read: names the first of them, and raises an error if all the data are gone."""

from collections.abc import Sequence
from pathlib import Path

from supcon.base.progress import say
from supcon.data import read_spec
from supcon.recipes import recipe_from_values
from supcon.runs import open_complete_run

_SHOWN = 5


def say_left_out(names: Sequence[str], total: int) -> None:
    """Names the first images that are left out, and says how many more there are."""
    for name in names[:_SHOWN]:
        say(f"left out: {name}")
    if len(names) > _SHOWN:
        say(f"left out: {len(names) - _SHOWN:,} more of {total:,} images")


def refuse_gone(run: str | Path, data: str | Path | None) -> None:
    """Raises an error if DATA, by default those of the run, are no longer where they were when they were listed."""
    read_spec(recipe_from_values(open_complete_run(Path(run)).recipe).data.spec if data is None else str(data))
