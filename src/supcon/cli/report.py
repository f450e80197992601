"""`supcon report`: rebuilds a run's report from its files."""

from collections.abc import Sequence
from pathlib import Path

from supcon.cli.parser import CommandParser


def run(arguments: Sequence[str]) -> None:
    parser = CommandParser("report", "Rebuilds report.html and report.md of a finished run.", "RUN")
    parser.add_argument("run", metavar="RUN", help="The run's folder.")
    folder = Path(parser.parse(arguments).run)

    from supcon.cli.printing.print_results import print_run
    from supcon.jobs import write_report
    from supcon.runs import open_complete_run

    finished = open_complete_run(folder)
    write_report(finished)
    print_run(finished)
