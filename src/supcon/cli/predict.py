"""`supcon predict`: the class of every image, with its probability."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supcon.base.errors import RequestError, WorkError
from supcon.base.progress import waiting
from supcon.cli.parser import CommandParser
from supcon.jobs import check_prototypes
from supcon.runs import model_path

if TYPE_CHECKING:
    from supcon.serving import FilePrediction, Model

_ABOUT = """Predicts the class of images: files, or all images below folders. Without PATH, or with -, the paths are
read from standard input, one per line."""
_LONGEST_LINE = 1 << 16
"""Longest line of standard input, in bytes: a path has a few thousand at most, but binary data can be one line."""


def run(arguments: Sequence[str]) -> None:
    parsed = _parser().parse(arguments)
    if parsed.top < 1:
        raise RequestError(f"--top must be at least 1, got {parsed.top}.")
    model_path(parsed.run)  # before torch is imported, which takes seconds
    if parsed.prototypes is not None:
        check_prototypes(parsed.run, parsed.prototypes)
    with waiting("starting"):
        from supcon.serving import load, predict_files, torch_device

        model = load(parsed.run, torch_device(parsed.device))
    if parsed.prototypes is not None:
        from supcon.jobs import with_prototypes

        model = with_prototypes(parsed.run, model, parsed.prototypes)
    predictions = predict_files(model, _paths(parsed.paths))
    bad, total = (_print_json if parsed.json else _print_table)(predictions, model, parsed.top)
    if bad:
        raise WorkError(_unreadable(bad, total))


def _unreadable(bad: int, total: int) -> str:
    """What is said after the last prediction.

    >>> _unreadable(1, 1), _unreadable(1, 3)
    ('The file cannot be read as an image.', '1 of 3 files cannot be read as images; the others are predicted.')
    """
    if bad < total:
        return f"{bad:,} of {total:,} files cannot be read as images; the others are predicted."
    return (
        "The file cannot be read as an image."
        if total == 1
        else f"None of the {total:,} files can be read as an image."
    )


def _parser() -> CommandParser:
    parser = CommandParser("predict", _ABOUT, "RUN [PATH...] [options]", examples=["runs/photos-supcon new/*.jpg"])
    parser.add_argument("run", metavar="RUN", help="A run's folder, a .safetensors file or a name on the hub.")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="Image files and folders; - for standard input.")
    parser.add_argument("--json", action="store_true", help="One JSON object per image and line.")
    parser.add_argument("--top", type=int, default=3, help="Number of classes shown with their probabilities.")
    parser.add_argument(
        "--prototypes",
        type=str | None,
        metavar="DIR",
        help="Folder of images of new classes, DIR/CLASS/image.jpg: classes are added without training, by the mean "
        "representation of their images.",
    )
    parser.add_device()
    return parser


def _paths(given: Sequence[str]) -> Iterator[str]:
    for path in given or ["-"]:
        yield from [path] if path != "-" else _lines_of_standard_input()


def _lines_of_standard_input() -> Iterator[str]:
    if sys.stdin is None:
        raise RequestError("Standard input is closed, so no paths can be read from it; give them after RUN.")
    number = 0
    while line := sys.stdin.buffer.readline(_LONGEST_LINE):
        number += 1
        endless = len(line) == _LONGEST_LINE and not line.endswith(b"\n")
        if endless or b"\0" in line:
            what = f"is longer than {_LONGEST_LINE:,} bytes" if endless else "has a zero character"
            raise RequestError(f"Line {number} of standard input {what} and is no path; give one path per line.")
        if line.strip():
            yield os.fsdecode(line).rstrip("\r\n")


def _best(prediction: "FilePrediction", model: "Model", top: int) -> list[tuple[str, float]]:
    """The classes with the largest probabilities."""
    found: Any = prediction.probabilities
    return [(model.classes[index], float(found[index])) for index in (-found).argsort(kind="stable")[:top]]


def _print_json(predictions: Iterable["FilePrediction"], model: "Model", top: int) -> tuple[int, int]:
    """Prints every prediction as soon as it is known; returns the unreadable files and all files."""
    bad = total = 0
    for prediction in predictions:
        entry: dict[str, Any] = {"path": _text(prediction.path)}
        if prediction.error is None:
            best = _best(prediction, model, top)
            entry |= {"class": prediction.name, "probability": best[0][1], "top": dict(best)}
        else:
            entry["error"] = prediction.error
            bad += 1
        total += 1
        print(json.dumps(entry, ensure_ascii=False), flush=True)
    return bad, total


def _print_table(predictions: Iterable["FilePrediction"], model: "Model", top: int) -> tuple[int, int]:
    from rich.table import Table
    from rich.text import Text

    from supcon.cli.printing.results_console import PathCell, results_console

    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("image")
    table.add_column("class", no_wrap=True)
    table.add_column("probability", justify="right", no_wrap=True)
    table.add_column("next", style="dim", overflow="fold")
    bad = 0
    for prediction in predictions:
        path = PathCell(_text(prediction.path))
        if prediction.error is None:
            (_, probability), *others = _best(prediction, model, top)
            rest = ", ".join(f"{name} {_percent(value)}" for name, value in others)
            table.add_row(path, Text(prediction.name), _percent(probability), Text(rest))
        else:
            table.add_row(path, Text("cannot be read", style="red"), "", Text(prediction.error))
            bad += 1
    results_console().print(table)
    return bad, table.row_count


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _text(path: Path) -> str:
    """The path as it can be printed: bytes that are not UTF-8 are escaped."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
