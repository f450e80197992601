"""`supcon compare`: several runs side by side, in the terminal and as a page."""

from collections.abc import Sequence
from pathlib import Path

from supcon.base.errors import RequestError
from supcon.cli.parser import CommandParser


def run(arguments: Sequence[str]) -> None:
    parser = CommandParser("compare", "Shows the metrics of several runs side by side.", "RUN RUN... [--out F.html]")
    parser.add_argument("runs", nargs="+", metavar="RUN", help="Folders of finished runs.")
    parser.add_argument("--out", type=str, default="runs/comparison.html", help="File of the page.")
    parsed = parser.parse(arguments)
    if len(parsed.runs) < 2:
        raise RequestError(f"A comparison needs at least two runs, got only {parsed.runs[0]!r}; add another.")

    from supcon.cli.print_results import print_runs
    from supcon.jobs import write_comparison
    from supcon.runs import open_complete_run

    runs = [open_complete_run(Path(name)) for name in parsed.runs]
    out = Path(parsed.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_comparison(runs, out)
    print_runs(runs)
    print(f"comparison: {out}")
