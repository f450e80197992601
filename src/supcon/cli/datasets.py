"""`supcon datasets`: what can be trained on by name."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from supcon.cli.parser import CommandParser
from supcon.data.catalogue import CATALOGUE


def run(arguments: Sequence[str]) -> None:
    CommandParser("datasets", "Lists the data sets that have a name.", "").parse(arguments)
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("data set", "classes", "images", "size", "what it is"):
        table.add_column(column)
    for entry in CATALOGUE:
        table.add_row(entry.name, str(entry.classes), f"{entry.images:,}", entry.image_size, entry.about)
    console = Console(highlight=False)
    console.print(table)
    console.print("Any folder works too: FOLDER/CLASS/image.jpg, or FOLDER/train/CLASS/image.jpg with val/ or test/.")
