"""Prints the results of transfer learning next to the paper's."""

from rich.table import Table

from supcon.cli.printing.results_console import results_console
from supcon.report import ROWS, transfer_rows
from supcon.runs import Run


def print_transfer(run: Run) -> None:
    """Prints one row per data set and protocol, with the paper's columns if it has the data set."""
    rows = transfer_rows(run.measures, run.remarks)
    published = any(any(row.published) for row in rows)
    table = Table(title=f"{run.name}, transferred", title_justify="left", box=None, padding=(0, 2, 0, 0))
    for heading in ("data set", "protocol", "metric"):
        table.add_column(heading, header_style="dim", no_wrap=True)
    for heading in ("this run", "95 % interval", *(ROWS if published else ())):
        table.add_column(heading, justify="right", header_style="dim", no_wrap=True)
    for row in rows:
        cells = [row.data, row.protocol, row.metric, f"[bold]{row.value}[/]", row.interval]
        table.add_row(*cells, *(row.published if published else ()))
    console = results_console()
    console.print(table)
    for row in rows:
        console.print(f"{row.data}, {row.protocol}: {row.remark}", markup=False)
    if published:
        console.print(
            "The paper's columns (Table 4) are for ResNets pretrained on ImageNet and fine-tuned for 20,000 steps.",
            markup=False,
        )
    console.print(f"report: {run.report_file}", markup=False)
