"""A manifest: a .csv or .parquet table with the columns `path`, `label` and optionally `split`.

Paths are absolute or relative to the manifest's folder. Several labels of an image are separated by `|`; an empty label
is an unlabelled image. Splits are named train, val and test; an empty split is train.
"""

import csv
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from supcon.base.bounded_reading import TABLE_LIMIT, open_regular, read_text
from supcon.base.errors import RequestError
from supcon.data.sources.collection import Collection
from supcon.data.sources.encoded_images import Files
from supcon.data.sources.label_names import number_labels
from supcon.data.stratified_splits import SPLIT_OF, Indices, SplitName

Table = Mapping[str, Sequence[str]]


def manifest(path: Path, *, outside: bool = True) -> Collection:
    """Lists the images of a manifest, without reading them; `outside`: whether they may be outside of its folder."""
    table = _read_parquet(path) if path.suffix.lower() == ".parquet" else _read_csv(path)
    if not len(table["path"]):
        raise RequestError(f"{path} lists no images; add rows below its header.")
    class_names, labels = number_labels(table["label"], str(path))
    root = path.resolve().parent
    files = [str(root / os.path.expanduser(name)) for name in table["path"]]
    if not outside and not os.environ.get("SUPCON_OUTSIDE"):
        _refuse_outside(path, root, files)
    return Collection(
        name=path.stem,
        class_names=class_names,
        images=Files(root, files),
        labels=labels,
        given=given_splits(table["split"], str(path)),
    )


def _refuse_outside(path: Path, root: Path, files: Sequence[str]) -> None:
    """A manifest from a stranger could otherwise put any picture of this machine into a report."""
    inside = f"{root}{os.sep}"
    others = [file for file in files if not os.path.normpath(file).startswith(inside)]
    if others:
        raise RequestError(
            f"{path} lists {len(others):,} image(s) outside of its folder, for example {others[0]}; if it is yours, "
            "allow that with --data.outside true, or SUPCON_OUTSIDE=1 for commands without that option."
        )


def given_splits(written: Sequence[str], what: str) -> dict[SplitName, Indices]:
    """The rows of every split; rows with an empty split are training images."""
    cells = [text.strip().lower() or "train" for text in written]
    unknown = sorted(set(cells) - set(SPLIT_OF))
    if unknown:
        raise RequestError(f"{what} has the split {unknown[0]!r}; it must be train, val or test.")
    splits = np.array([SPLIT_OF[cell] for cell in cells])
    names: tuple[SplitName, ...] = ("train", "validation", "test")
    given = {name: np.flatnonzero(splits == name) for name in names if (splits == name).any()}
    if "train" not in given:
        raise RequestError(f"{what} has no training images; set the split of some to train, or leave it empty.")
    return given


def _read_csv(path: Path) -> Table:
    text = read_text(path, "save it as comma-separated UTF-8", TABLE_LIMIT, "utf-8-sig")
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), restval="")
        rows = list(reader)
    except csv.Error as error:
        raise RequestError(f"{path} cannot be read as a table ({error}); save it as comma-separated UTF-8.") from error
    if rows:
        _check_columns(list(reader.fieldnames or ()), path)
    for number, row in enumerate(rows, 2):
        if None in row:
            raise RequestError(f"{path} has more cells in row {number} than in its header; quote a comma in a path.")
    return {name: [(row.get(name) or "").strip() for row in rows] for name in ("path", "label", "split")}


def _read_parquet(path: Path) -> Table:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import read_table
    except ImportError as error:
        raise RequestError(f"{path} needs pyarrow; install it with `pip install 'supcon[parquet]'`.") from error
    try:
        with open_regular(path) as file:
            table = read_table(file)
    except (ArrowException, OSError, ValueError, MemoryError) as error:
        reason = " ".join(str(error).split())
        raise RequestError(f"{path} cannot be read as a parquet table ({reason}); write it again.") from error
    _check_columns(table.column_names, path)
    return {
        name: [_text(value) for value in table[name].to_pylist()]
        if name in table.column_names
        else [""] * table.num_rows
        for name in ("path", "label", "split")
    }


def _text(value: object) -> str:
    """A cell as text; a list of labels is joined by `|` as in a .csv file."""
    if isinstance(value, list):
        return "|".join(str(part) for part in value)
    return "" if value is None else str(value).strip()


def _check_columns(found: Sequence[str], path: Path) -> None:
    for name in ("path", "label"):
        if name not in found:
            raise RequestError(
                f"{path} has the columns {', '.join(map(repr, found))} but not {name!r}; it needs path, label and "
                "optionally split."
            )
