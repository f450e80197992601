"""Prints the tables and verdicts of `supcon reproduce`."""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from supcon.experiments import Results, judge, table_by_measure
from supcon.jobs import StudyPlaces, StudyStatus


def print_reproduction(every: Sequence[Results], places: StudyPlaces) -> None:
    """Prints table, verdict and file paths of every experiment."""
    console = Console(highlight=False, soft_wrap=True)
    for results in every:
        name, verdict = results.experiment.name, judge(results)
        console.print(f"[bold]{name}[/], {results.experiment.where}")
        console.print(_table(results))
        for part in verdict.parts:
            console.print(f"{part.answer}: {part.sentence}", markup=False)
        for part in verdict.besides:
            console.print(f"no part of the claim, {part.answer}: {part.sentence}", markup=False)
        console.print(f"[bold]{verdict.sentence}[/]")
        files = (places.tables(results.request) / f"{name}.md", places.pages(results.request) / f"{name}.html")
        console.print(f"{files[0]}, {files[1]}\n", markup=False)


def _table(results: Results) -> Table:
    """The settings below each measure, which fits 80 columns; names of settings wrap, values do not."""
    found = table_by_measure(results)
    filled = [place for place in range(2, len(found.headings)) if any(row[place] != "–" for row in found.rows)]
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    for place in filled:
        table.add_column(found.headings[place], justify="right", no_wrap=True)
    for measure, rows in groupby(found.rows, key=lambda row: row[1]):
        table.add_row(f"[bold]{escape(measure)}[/]")
        for row in rows:
            table.add_row(Padding(escape(row[0]), (0, 0, 0, 2)), *(row[place] for place in filled))
    return table


def print_status(status: StudyStatus) -> None:
    """Prints the finished, running and remaining cells of every experiment, and the estimated time of the end."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("experiment", "cells", "finished", "of these failed", "running", "left"):
        table.add_column(heading, justify="left" if heading == "experiment" else "right")
    for one in status.experiments:
        counts = (one.cells, one.finished, one.failed, one.running, one.cells - one.finished)
        table.add_row(one.name, *map(str, counts))
    console = Console(highlight=False)
    console.print(table)
    words = f"{status.left} different cells left, {status.running} of them running"
    if status.left and not math.isnan(status.seconds_left):
        end = datetime.now() + timedelta(seconds=status.seconds_left)
        workers = f"{max(status.running, 1)} worker{'s' * (status.running > 1)}"
        words += f"; with {workers}, at the speed of the finished cells, done about {end:%A %H:%M}"
    console.print(f"{words}.", markup=False)
