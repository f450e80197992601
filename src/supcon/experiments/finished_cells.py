"""Finished cells as a CSV file, with which a study can be continued on another machine; does not import torch."""

import base64
import csv
import fcntl
import io
import json
import os
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supcon.base.atomic_files import write_text
from supcon.base.errors import RequestError

_DIGITS = 7
"""Significant digits of a measure in the file: more than any table shows, but still readable."""


@dataclass(frozen=True, kw_only=True)
class FinishedCell:
    """The result of one cell."""

    key: str
    recipe: str
    method: str
    changes: str
    """The values that differ from the recipe of that name, as JSON; for readers only, cells are identified by `key`."""
    seed: int
    data: str
    seconds: float
    threads: int
    processor: str
    commit: str
    finished: str
    failure: str
    """The error message if training failed; otherwise empty."""
    test_set: str
    """Fingerprint of the test images: cells with the same one can be compared image by image."""
    measures: Mapping[str, float]
    right: str
    """Whether each test image was classified correctly: compressed bits in base64."""
    right_when_corrupted: str
    """For each test image the number of correctly classified corrupted versions: compressed bytes in base64."""

    @property
    def right_images(self) -> NDArray[np.float64] | None:
        """For each test image 1 if it was classified correctly, otherwise 0."""
        return _unpack(self.right)

    @property
    def corrupted_images(self) -> NDArray[np.float64] | None:
        """For each test image the share of its corrupted versions that were classified correctly."""
        counts = _unpack(self.right_when_corrupted)
        corruptions = [name.split("/") for name in self.measures if name.startswith("corruptions/")]
        sets = sum(len(path) == 4 and path[-1] == "top1" for path in corruptions)
        return None if counts is None or not sets else counts / sets


COLUMNS = tuple(field.name for field in fields(FinishedCell))


def pack(counts: NDArray[Any]) -> str:
    """Encodes small integers, one per image, as text.

    >>> _unpack(pack(np.array([1, 0, 1])))
    array([1., 0., 1.])
    """
    return base64.b64encode(zlib.compress(counts.astype(np.uint8).tobytes(), 9)).decode()


def _unpack(text: str) -> NDArray[np.float64] | None:
    if not text:
        return None
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8).astype(np.float64)


def read_cells(files: Iterable[Path]) -> dict[str, FinishedCell]:
    """All cells of the files that exist, by key."""
    found: dict[str, FinishedCell] = {}
    for file in files:
        if file.exists():
            rows = csv.DictReader(io.StringIO(file.read_text("utf-8")))
            if tuple(rows.fieldnames or COLUMNS) != COLUMNS:
                raise RequestError(f"{file} is not a file of finished cells (other columns); repair or remove it.")
            merge(found, (_from_row(row, file) for row in rows))
    return found


def add_cells(file: Path, cells: Iterable[FinishedCell]) -> None:
    """Adds cells to a file that several processes may add to."""
    file.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        found = read_cells([file])
        before = dict(found)
        merge(found, cells)
        if found != before:
            write_text(file, _table(found.values()))
    finally:
        os.close(folder)


def merge(found: dict[str, FinishedCell], cells: Iterable[FinishedCell]) -> None:
    """Cells with the same key become one: experiments that share a cell may have measured different things of it."""
    for cell in cells:
        found[cell.key] = _combined(found[cell.key], cell) if cell.key in found else cell


def _combined(one: FinishedCell, other: FinishedCell) -> FinishedCell:
    more, less = (one, other) if len(one.measures) >= len(other.measures) else (other, one)
    return replace(
        more,
        measures={**less.measures, **more.measures},
        right_when_corrupted=more.right_when_corrupted or less.right_when_corrupted,
    )


def to_json(cell: FinishedCell) -> str:
    return json.dumps({**asdict(cell), "measures": _rounded(cell.measures)}, separators=(",", ":"))


def from_json(text: str) -> FinishedCell:
    return FinishedCell(**json.loads(text))


def _table(cells: Iterable[FinishedCell]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for cell in sorted(cells, key=lambda cell: (cell.method, cell.changes, cell.seed, cell.key)):
        writer.writerow({**asdict(cell), "measures": json.dumps(_rounded(cell.measures), separators=(",", ":"))})
    return text.getvalue()


def _rounded(measures: Mapping[str, float]) -> dict[str, float]:
    return {name: float(f"{value:.{_DIGITS}g}") for name, value in measures.items()}


def _from_row(row: Mapping[str, str], file: Path) -> FinishedCell:
    try:
        numbers: dict[str, Any] = {
            "seed": int(row["seed"]),
            "threads": int(row["threads"]),
            "seconds": float(row["seconds"]),
            "measures": json.loads(row["measures"]),
        }
        return FinishedCell(**{**{name: row[name] for name in COLUMNS}, **numbers})
    except (KeyError, ValueError, TypeError) as error:
        raise RequestError(f"{file} is not a file of finished cells ({error!r}); repair or remove it.") from error
