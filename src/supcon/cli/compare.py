"""`supcon compare`: several runs side by side, in the terminal and as a page."""

import os
from collections.abc import Sequence
from pathlib import Path

from supcon.base.errors import RequestError
from supcon.base.progress import say
from supcon.cli.parser import CommandParser

COMPARISON_MARK = b'<meta name="generator" content="supcon compare">'
"""HTML tag by which pages of this command are recognized."""


def run(arguments: Sequence[str]) -> None:
    parser = CommandParser(
        "compare",
        "Shows the metrics of several runs side by side, and writes a page.",
        "RUN RUN... [--out F.html]",
        examples=["runs/photos-supcon runs/photos-cross-entropy"],
    )
    parser.add_argument("runs", nargs="+", metavar="RUN", help="Finished runs, or folders with finished runs in them.")
    parser.add_argument("--out", type=str, default="runs/comparison.html", metavar="F.html", help="The page to write.")
    parsed = parser.parse(arguments)

    from supcon.cli.printing.print_results import print_runs
    from supcon.jobs import write_comparison
    from supcon.runs import open_complete_run

    names = [path for name in parsed.runs for path in _runs_in(Path(name))]
    if len(names) < 2:
        raise RequestError(f"A comparison needs at least two runs, got only {str(names[0])!r}; add another.")
    _refuse_twice(names)
    out = Path(parsed.out)
    _refuse_others_page(out)
    runs = [open_complete_run(name) for name in names]
    out.parent.mkdir(parents=True, exist_ok=True)
    write_comparison(runs, out)
    print_runs(runs)
    print(f"comparison: {out}")


def _runs_in(path: Path) -> list[Path]:
    """The run itself, or the finished runs of a folder, those of cross-entropy first: they are the reference."""
    if (path / "recipe.yaml").exists() or not path.is_dir():
        return [path]
    found = [folder for folder in sorted(path.iterdir()) if (folder / "recipe.yaml").exists()]
    finished = [folder for folder in found if (folder / "evaluation.json").exists()]
    for folder in found:
        if folder not in finished:
            say(f"left out: {folder} is not finished.")
    if not finished:
        return [path]  # which is then refused as no run
    return sorted(finished, key=lambda folder: not _is_baseline(folder))


def _is_baseline(folder: Path) -> bool:
    return "method: cross-entropy\n" in (folder / "recipe.yaml").read_text(encoding="utf-8")


def _refuse_twice(names: Sequence[Path]) -> None:
    paths = [os.path.realpath(name) for name in names]  # also of a link to itself, which is refused later
    for number, path in enumerate(paths):
        if path in paths[:number]:
            raise RequestError(f"The run {names[number]} was given twice; name every run once.")


def _refuse_others_page(out: Path) -> None:
    """Raises an error if `out` exists and is not a page of this command, so that no other file is overwritten."""
    if not out.exists():
        return
    if not out.is_file() or COMPARISON_MARK not in out.read_bytes()[:4096]:
        raise RequestError(f"{out} exists and is not a page of `supcon compare`; choose another file with --out.")
