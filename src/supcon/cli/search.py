"""`supcon search`: the images that are most similar to a query."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from supcon.base.progress import waiting
from supcon.cli.parser import CommandParser
from supcon.jobs import check_search

if TYPE_CHECKING:
    from supcon.jobs import SearchResult

_ABOUT = """Finds the images of a gallery that are most similar to each query: an image file, a folder of them, or
class:NAME for the mean of a class. The representations of the gallery are kept in RUN/galleries and computed again when
the model or an image has changed."""


def run(arguments: Sequence[str]) -> None:
    parsed = _parser().parse_for_run(arguments)
    check_search(parsed.run, parsed.queries, parsed.gallery, parsed.k, parsed.out, parsed.data_root)
    with waiting("starting"):
        from supcon.jobs import search

    result = search(
        parsed.run,
        parsed.queries,
        gallery=parsed.gallery,
        k=parsed.k,
        approximate=parsed.approximate,
        out=parsed.out,
        data_root=parsed.data_root,
        device=parsed.device,
    )
    (_print_json if parsed.json else _print_table)(result)
    if parsed.out is not None and not parsed.json:
        print(f"page: {parsed.out}")


def _parser() -> CommandParser:
    parser = CommandParser(
        "search", _ABOUT, "RUN QUERY... [options]", examples=["runs/photos-supcon query.jpg --out found.html"]
    )
    parser.add_run()
    parser.add_argument("queries", nargs="+", metavar="QUERY", help="Image files, folders, or class:NAME.")
    parser.add_argument(
        "--gallery",
        type=str | None,
        metavar="DATA",
        help="The images to search in, any DATA; default: the run's own images.",
    )
    parser.add_argument("--k", type=int, default=10, help="Number of images per query.")
    parser.add_argument(
        "--approximate",
        action="store_true",
        help="Search through FAISS (pip install 'supcon[faiss]'), for galleries of millions of images.",
    )
    parser.add_argument(
        "--out", type=str | None, metavar="F.html", help="An .html page to write that shows queries and answers."
    )
    parser.add_argument("--json", action="store_true", help="One JSON object per query and line.")
    parser.add_data_root()
    parser.add_device()
    return parser


def _print_json(result: "SearchResult") -> None:
    for at, query in enumerate(result.queries):
        found = [{"path": name, "label": label, "similarity": value} for name, label, value in result.answers(at)]
        print(json.dumps({"query": query, "found": found}, ensure_ascii=False))


def _print_table(result: "SearchResult") -> None:
    from rich.table import Table
    from rich.text import Text

    from supcon.cli.printing.results_console import PathCell, results_console

    console = results_console()
    for at, query in enumerate(result.queries):
        console.print(query, markup=False, style="italic")
        table = Table(box=None, padding=(0, 2, 0, 0))
        table.add_column("similarity", justify="right")
        table.add_column("label", no_wrap=True)
        table.add_column("image")
        for name, label, value in result.answers(at):
            table.add_row(f"{value:.3f}", Text(label), PathCell(name))
        console.print(table)
