"""`supcon audit`: images whose label looks wrong, hard pairs, near-duplicates, and classes that overlap."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from supcon.base.atomic_files import check_out
from supcon.base.checked_arguments import check_suffix
from supcon.base.errors import RequestError
from supcon.base.progress import waiting
from supcon.cli.parser import CommandParser
from supcon.data import check_present

if TYPE_CHECKING:
    from rich.table import Table

    from supcon.serving import Audit, HardPairs

_ABOUT = """Audits labelled images by the run's representations: labels that look wrong, estimated without the image's
own label; the hardest positives and negatives; near-duplicates within and across splits; classes that overlap. Writes
labels.csv, pairs.csv, duplicates.csv, classes.csv and audit.html."""
_FIRST = ("--out", "--corrected")
_SHOWN = 10
_PAIRS_SHOWN = 3


def run(arguments: Sequence[str]) -> None:
    parsed = _parser().parse_for_run(arguments)
    check_suffix("--corrected", parsed.corrected, ".csv")
    if not 0 <= parsed.confidence <= 1:
        raise RequestError(f"--confidence must be between 0 and 1, got {parsed.confidence}.")
    if parsed.data is not None:
        check_present(parsed.data, parsed.data_root)
    check_out(parsed.out, folder=True)
    check_out(parsed.corrected)
    with waiting("starting"):
        from supcon.jobs import audit

    found, folder = audit(
        parsed.run,
        parsed.data,
        out=parsed.out,
        corrected=parsed.corrected,
        correction=parsed.correction,
        confidence=parsed.confidence,
        data_root=parsed.data_root,
        device=parsed.device,
    )
    _print(found, folder, parsed.corrected)


def _parser() -> CommandParser:
    parser = CommandParser(
        "audit", _ABOUT, "RUN [DATA] [options]", examples=["runs/photos-supcon --corrected clean.csv"], first=_FIRST
    )
    parser.add_run()
    parser.add_argument("data", nargs="?", metavar="DATA", help="Labelled images; default: the run's own.")
    parser.add_argument(
        "--out", type=str | None, metavar="FOLDER", help="Folder of the tables and the page; default: RUN/audit."
    )
    parser.add_argument(
        "--corrected",
        type=str | None,
        metavar="F.csv",
        help="A manifest to write, with the training labels that look wrong corrected and without the training images "
        "that are near-duplicates of validation or test images.",
    )
    parser.add_argument(
        "--correction",
        type=Literal["relabel", "unlabel", "remove"],
        default="relabel",
        help="What --corrected does with a label that looks wrong: the suggested one, none, or without the image.",
    )
    parser.add_argument(
        "--confidence",
        type=float,
        default=0.8,
        help="Mean probability from which --corrected follows a suggestion on which all estimators agree.",
    )
    parser.add_data_root()
    parser.add_device()
    return parser


def _print(found: "Audit", folder: Path, corrected: str | None) -> None:
    from rich.table import Table
    from rich.text import Text

    from supcon.cli.printing.results_console import PathCell, results_console

    console = results_console()
    table = Table(title="labels that look most wrong", title_justify="left", box=None, padding=(0, 2, 0, 0))
    for heading in ("label", "suggested", "image"):
        table.add_column(heading, no_wrap=heading != "image")
    for row in found.scores.order[:_SHOWN].tolist():
        index = int(found.labelled[row])
        labels = (found.classes[found.labels[row]], found.classes[found.scores.suggested[row]])
        table.add_row(*map(Text, labels), PathCell(found.images.names[index]))
    console.print(table)
    for kind, hard in (("positives", found.positives), ("negatives", found.negatives)):
        if len(hard.first):
            console.print(_pair_table(found, hard, kind))
    pairs = len(found.duplicates.first)
    lines = [
        f"{int(found.doubtful(0).sum())} of {len(found.labels)} labels: all estimators prefer the same other one",
        f"{pairs} pairs of near-duplicates, {int(found.across_splits.sum())} of them across splits",
        *(f"{one} and {other} overlap by {100 * value:.1f} %" for one, other, value in found.overlapping(3)),
        f"page: {folder / 'audit.html'}",
    ]
    if corrected is not None:
        lines.append(f"corrected manifest: {corrected}")
    for line in lines:
        console.print(line, markup=False)


def _pair_table(found: "Audit", pairs: "HardPairs", kind: str) -> "Table":
    from rich.table import Table
    from rich.text import Text

    from supcon.cli.printing.results_console import PathCell

    table = Table(title=f"hardest {kind}", title_justify="left", box=None, padding=(0, 2, 0, 0))
    for heading in ("label", "image", "label", "image", "similarity"):
        table.add_column(heading, no_wrap=heading != "image")
    for at in range(min(_PAIRS_SHOWN, len(pairs.first))):
        cells = [
            (found.classes[found.labels[row]], found.images.names[int(found.labelled[row])])
            for row in (int(pairs.first[at]), int(pairs.second[at]))
        ]
        shown = [cell for label, image in cells for cell in (Text(label), PathCell(image))]
        table.add_row(*shown, f"{pairs.similarity[at]:.2f}")
    return table
