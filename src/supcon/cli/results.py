"""Results on stdout, as tables for people."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from supcon.runs import Run

_SHARES = {
    "test/top1": "test top-1",
    "test/top5": "test top-5",
    "test/knn_top1": "test k-NN top-1",
    "test/mean_per_class": "test mean per class",
}


def print_run(run: Run) -> None:
    """The figures of one run and where its page is."""
    table = Table(title=run.name, title_justify="left", box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, shown in format_measures(run.measures).items():
        table.add_row(name, shown)
    console = Console(highlight=False, soft_wrap=True)
    console.print(table)
    console.print(f"report: {run.report_file}", markup=False)


def format_measures(measures: dict[str, float]) -> dict[str, str]:
    """The measures a person looks at first, in words and units."""
    shown = {title: f"{measures[name]:.2%}" for name, title in _SHARES.items()}
    shown["test NLL"] = f"{measures['test/nll']:.4f}"
    shown["test ECE"] = f"{measures['test/ece']:.4f}"
    shown["training time"] = f"{measures['seconds/stage1'] + measures['seconds/stage2']:.0f} s"
    shown["encoder parameters"] = f"{int(measures['parameters/encoder']):,}"
    return shown


def print_runs(runs: Sequence[Run]) -> None:
    """The figures of several runs, a column each."""
    table = Table(box=None, padding=(0, 3, 0, 0))
    table.add_column("")
    for run in runs:
        table.add_column(run.name, justify="right")
    columns = [format_measures(run.measures) for run in runs]
    for name in columns[0]:
        table.add_row(name, *(column[name] for column in columns))
    Console(highlight=False).print(table)
