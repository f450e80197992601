"""Tables and verdicts of `supcon reproduce` on stdout."""

import math
from collections.abc import Sequence
from datetime import timedelta

from rich.console import Console
from rich.table import Table

from supcon.experiments import Results, judge, result_table
from supcon.jobs import ExperimentStatus, StudyPlaces


def print_reproduction(every: Sequence[Results], places: StudyPlaces) -> None:
    """The table and the verdict of every experiment, and where its files are."""
    console = Console(highlight=False, soft_wrap=True)
    for results in every:
        found, verdict = result_table(results), judge(results)
        name = results.experiment.name
        table = Table(title=f"{name}, {results.experiment.where}", title_justify="left", box=None, padding=(0, 2, 0, 0))
        for place, heading in enumerate(found.headings):
            table.add_column(heading, justify="right" if place else "left")
        for row in found.rows:
            table.add_row(*row)
        console.print(table)
        for part in verdict.parts:
            console.print(f"{part.answer}: {part.sentence}", markup=False)
        console.print(f"[bold]{verdict.sentence}[/]")
        console.print(f"{places.out / f'{name}.md'}, {places.work / 'pages' / f'{name}.html'}\n", markup=False)


def print_status(every: Sequence[ExperimentStatus]) -> None:
    """What is done, running and left of every experiment."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("experiment", "cells", "finished", "running", "left", "work left"):
        table.add_column(heading, justify="left" if heading == "experiment" else "right")
    for one in every:
        left = one.cells - one.finished
        time = "–" if math.isnan(one.seconds_left) else str(timedelta(seconds=round(one.seconds_left)))
        table.add_row(one.name, *map(str, (one.cells, one.finished, one.running, left)), time if left else "–")
    console = Console(highlight=False)
    console.print(table)
    console.print(
        "Work left: of one worker, at the speed of the finished cells. Cells that experiments share count in "
        "each of them and are run once.",
        markup=False,
    )
