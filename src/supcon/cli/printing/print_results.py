"""Prints results as tables, with the same names of metrics as the report."""

from collections.abc import Sequence

from rich.table import Table

from supcon.base.processes import is_first_process
from supcon.cli.printing.results_console import results_console
from supcon.jobs import read_results
from supcon.report import Study, comparison_rows, group_runs, measure_rows, studies, verdicts
from supcon.runs import Run

_NOT_PAIRED = "The runs were tested on different images, so there is no paired test; compare their values with care."


def print_run(run: Run) -> None:
    """Prints the metrics of one run and the path of its report."""
    if not is_first_process():
        return
    rows = measure_rows(run.measures, run.remarks)
    table = Table(title=run.name, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    for heading in ("value", "95 % interval", "scaled"):
        table.add_column(heading, justify="right", header_style="dim", no_wrap=True)
    for row in rows:
        table.add_row(row.measure.title, row.value, f"[dim]{row.interval}[/]", f"[dim]{row.scaled}[/]")
    console = results_console()
    console.print(table)
    console.print(f"report: {run.report_file}", markup=False)


def print_runs(runs: Sequence[Run]) -> None:
    """Prints the metrics of several runs, one column each, the best in bold; seeds of the same run share a column."""
    results = [read_results(run) for run in runs]
    table = Table(box=None, padding=(0, 3, 0, 0))
    table.add_column("")
    for group in group_runs(results):
        table.add_column(f"{group.title} ({len(group.runs)} seeds)" if len(group.runs) > 1 else group.title)
    for row in comparison_rows(results):
        if not row.measure.name.startswith("validation/"):
            cells = [value.text(row.measure) for value in row.values]
            best = [f"[bold]{cell}[/]" if index in row.best else cell for index, cell in enumerate(cells)]
            table.add_row(row.measure.title, *best)
    console = results_console()
    console.print(table)
    if any(len(group.runs) > 1 for group in group_runs(results)):
        console.print("Several seeds: mean ± standard deviation.", markup=False, soft_wrap=False)
    for sentence in verdicts(group_runs(results)) or [_NOT_PAIRED]:
        console.print(sentence, markup=False, soft_wrap=False)
    for study in studies(results):
        console.print(_study_table(study))


def _study_table(study: Study) -> Table:
    table = Table(title=f"{study.title}, test accuracy", title_justify="left", box=None, padding=(0, 3, 0, 0))
    table.add_column(study.setting_title)
    for value in study.values:
        table.add_column(f"{value:g}", justify="right")
    for line in study.lines:
        table.add_row(line.title, *study.row(line))
    return table
