"""`supcon datasets`: what can be trained on by name, and whether it is here."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from supcon.cli.parser import CommandParser
from supcon.data.catalogue import CATALOGUE
from supcon.data.places import data_root, present

_METRICS = {"top1": "top-1", "mean_per_class": "mean per class", "map_11_point": "11-point mAP"}
_OTHER = """Your own data works too: FOLDER/CLASS/image.jpg; FOLDER/train/CLASS/image.jpg with val/ or test/ beside it;
a .csv or .parquet manifest with the columns path, label and perhaps split; webdataset:NAME-{000..011}.tar; hf:NAME."""


def run(arguments: Sequence[str]) -> None:
    parser = CommandParser("datasets", "Lists the data sets that have a name.", "[--data-root FOLDER]")
    parser.add_argument("--data-root", type=str | None, help="Where named data sets are.")
    root = parser.parse(arguments).data_root
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("data set", "here", "classes", "train", "test", "size", "metric", "what it is"):
        table.add_column(column, no_wrap=column != "what it is", justify="right" if column in _NUMBERS else "left")
    for entry in CATALOGUE:
        table.add_row(
            f"{entry.name}*" if entry.transfer else entry.name,
            "yes" if present(entry, root) else "no",
            str(entry.classes),
            f"{entry.train:,}",
            f"{entry.test:,}",
            entry.size,
            _METRICS[entry.metric],
            entry.about,
        )
    console = Console(highlight=False)
    console.print(table)
    console.print(f"Looked for in {data_root(root)}; --data-root or SUPCON_DATA say otherwise, --download fetches.")
    console.print("* of the twelve sets of the paper's transfer table")
    console.print(_OTHER, markup=False)


_NUMBERS = ("classes", "train", "test", "size")
