"""`supcon report`: rebuilds a run's report from its files."""

from collections.abc import Sequence
from pathlib import Path

from supcon.cli.parser import CommandParser


def run(arguments: Sequence[str]) -> None:
    parser = CommandParser(
        "report",
        "Rebuilds report.html and report.md of a finished run.",
        "RUN [--baseline RUN]",
        examples=["runs/photos-supcon"],
    )
    parser.add_run()
    parser.add_argument(
        "--baseline",
        type=str,
        default=None,
        metavar="RUN",
        help="Run to show beside it; by default a cross-entropy run in the same folder with the same test images.",
    )
    parsed = parser.parse(arguments)

    from supcon.cli.printing.print_results import print_run
    from supcon.jobs import write_report
    from supcon.runs import open_complete_run

    finished = open_complete_run(Path(parsed.run))
    write_report(finished, open_complete_run(Path(parsed.baseline)) if parsed.baseline else None)
    print_run(finished)
