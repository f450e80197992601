"""`supcon datasets`: the named data sets, and whether each is found on disk."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from supcon.cli.parser import CommandParser
from supcon.data import CATALOGUE, data_root, present

_METRICS = {"top1": "top-1", "mean_per_class": "mean per class", "map_11_point": "11-point mAP"}
_NUMBERS = ("classes", "train", "test", "size")
_WIDE = 110
"""Width of a terminal, in characters, from which descriptions are shown."""
_OTHER = """Your own data works too: FOLDER/CLASS/image.jpg; FOLDER/train/CLASS/image.jpg with val/ or test/;
a .csv or .parquet manifest (path, label, optionally split); webdataset:NAME-{000..011}.tar; hf:NAME."""


def run(arguments: Sequence[str]) -> None:
    parser = CommandParser("datasets", "Lists the named data sets.", "[--data-root FOLDER]", examples=[""])
    parser.add_data_root()
    root = parser.parse(arguments).data_root
    console = Console(highlight=False)
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("data set", "found", "classes", "train", "test", "size", "metric"):
        table.add_column(column, no_wrap=True, justify="right" if column in _NUMBERS else "left")
    wide = console.width >= _WIDE
    if wide:
        table.add_column("description")
    for entry in CATALOGUE:
        table.add_row(
            f"{entry.name}*" if entry.transfer else entry.name,
            "yes" if present(entry, root) else "no",
            str(entry.classes),
            f"{entry.train:,}",
            f"{entry.test:,}",
            entry.size,
            _METRICS[entry.metric],
            *([entry.about] if wide else []),
        )
    console.print(table)
    console.print("* one of the twelve sets of the paper's transfer table")
    for line in (
        f"Data folder: {data_root(root)}; --data-root or SUPCON_DATA change it, --download downloads a data set.",
        _OTHER,
    ):
        console.print(line, markup=False, soft_wrap=True)
