"""Prints a run's results on corrupted images."""

import math

from rich.table import Table

from supcon.cli.printing.results_console import results_console
from supcon.report import Corruptions, corruptions, percent
from supcon.runs import Run


def print_corruptions(run: Run) -> None:
    """Prints accuracy for every corruption and severity, the means, and the corruption errors with their baseline."""
    found = corruptions(run.measures, run.remarks)
    console = results_console()
    if found is None:
        return
    console.print(f"{run.name}: {found.made_of}", markup=False)
    console.print(_table(found))
    console.print(_errors(found), markup=False)
    console.print(f"report: {run.report_file}", markup=False)


def _table(found: Corruptions) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("accuracy", no_wrap=True)
    headings = [*(f"sev. {severity}" for severity in found.severities), "mean", "ECE"]
    for heading in [*headings, "CE"] if found.has_unit else headings:
        table.add_column(heading, justify="right", header_style="dim", no_wrap=True)
    for row in found.rows:
        cells = [*map(_cell, row.accuracy), _cell(row.mean_accuracy), _cell(row.mean_calibration)]
        table.add_row(row.title, *cells, *([_cell(row.corruption_error)] if found.has_unit else []))
    top1, ece = found.means["top1"], found.means["ece"]
    table.add_row()
    table.add_row("[bold]mean accuracy[/]", *map(_cell, top1), f"[bold]{_cell(sum(top1) / len(top1))}[/]")
    table.add_row("[bold]mean ECE[/]", *map(_cell, ece), "", f"[bold]{_cell(sum(ece) / len(ece))}[/]")
    return table


def _cell(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.1f}"


def _errors(found: Corruptions) -> str:
    clean = f"Clean images: accuracy {percent(found.clean[0])}, calibration error {percent(found.clean[1])}."
    if not found.has_unit:
        return clean
    unit = f"relative to the errors of {found.baseline}"
    if math.isnan(found.mce):
        return f"{clean} CE is {unit}; the mean corruption error (mCE) needs all 15 corruptions."
    relative = "" if math.isnan(found.relative_mce) else f", relative mCE {100 * found.relative_mce:.1f}"
    return f"{clean} mCE {100 * found.mce:.1f}{relative}, {unit} (100: equal to it; lower is better)."
