"""`supcon compare`: several runs side by side, in the terminal and as a page."""

from collections.abc import Sequence
from pathlib import Path

from supcon.base.errors import RequestError
from supcon.cli.parser import CommandParser

COMPARISON_MARK = b'<meta name="generator" content="supcon compare">'
"""HTML tag by which pages of this command are recognized."""


def run(arguments: Sequence[str]) -> None:
    parser = CommandParser("compare", "Shows the metrics of several runs side by side.", "RUN RUN... [--out F.html]")
    parser.add_argument("runs", nargs="+", metavar="RUN", help="Folders of finished runs.")
    parser.add_argument("--out", type=str, default="runs/comparison.html", help="File of the page.")
    parsed = parser.parse(arguments)
    if len(parsed.runs) < 2:
        raise RequestError(f"A comparison needs at least two runs, got only {parsed.runs[0]!r}; add another.")

    from supcon.cli.printing.print_results import print_runs
    from supcon.jobs import write_comparison
    from supcon.runs import open_complete_run

    _refuse_twice(parsed.runs)
    out = Path(parsed.out)
    _refuse_others_page(out)
    runs = [open_complete_run(Path(name)) for name in parsed.runs]
    out.parent.mkdir(parents=True, exist_ok=True)
    write_comparison(runs, out)
    print_runs(runs)
    print(f"comparison: {out}")


def _refuse_twice(names: Sequence[str]) -> None:
    places = [Path(name).resolve() for name in names]
    for number, place in enumerate(places):
        if place in places[:number]:
            raise RequestError(f"The run {names[number]} was given twice; name every run once.")


def _refuse_others_page(out: Path) -> None:
    """Raises an error if `out` exists and is not a page of this command, so that no other file is overwritten."""
    if not out.exists():
        return
    if not out.is_file() or COMPARISON_MARK not in out.read_bytes()[:4096]:
        raise RequestError(f"{out} exists and is not a page of `supcon compare`; choose another file with --out.")
