"""A manifest: a .csv or .parquet table with the columns `path`, `label` and perhaps `split`.

Paths are relative to the manifest's folder, or absolute. Several labels of an image stand together with `|` between;
an empty label is an unlabelled image. Splits are called train, val and test; an empty one is free to be held out.
"""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from supcon.base.errors import RequestError
from supcon.data.sources.collection import Collection
from supcon.data.sources.encoded_images import Files
from supcon.data.sources.label_names import number_labels
from supcon.data.stratified_splits import SPLIT_OF, Indices, SplitName

Table = Mapping[str, Sequence[str]]


def manifest(path: Path) -> Collection:
    """The images that a manifest names, not yet read."""
    table = _read_parquet(path) if path.suffix.lower() == ".parquet" else _read_csv(path)
    if not len(table["path"]):
        raise RequestError(f"{path} names no images; add rows below its header.")
    class_names, labels = number_labels(table["label"], str(path))
    root = path.resolve().parent
    return Collection(
        name=path.stem,
        class_names=class_names,
        images=Files(root, [str(root / Path(name).expanduser()) for name in table["path"]]),
        labels=labels,
        given=given_splits(table["split"], str(path)),
    )


def given_splits(written: Sequence[str], what: str) -> dict[SplitName, Indices]:
    """The rows of every split that is named; rows without a split are training images."""
    words = np.array([word.strip().lower() or "train" for word in written])
    unknown = sorted(set(words.tolist()) - set(SPLIT_OF))
    if unknown:
        raise RequestError(f"{what} has the split {unknown[0]!r}, and train, val or test are meant; correct it.")
    splits = np.array([SPLIT_OF[word] for word in words.tolist()])
    names: tuple[SplitName, ...] = ("train", "validation", "test")
    given = {name: np.flatnonzero(splits == name) for name in names if (splits == name).any()}
    if "train" not in given:
        raise RequestError(f"{what} has no training images; call their split train, or leave it empty.")
    return given


def _read_csv(path: Path) -> Table:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file, restval=""))
    except (UnicodeDecodeError, csv.Error) as error:
        raise RequestError(f"{path} cannot be read as a table ({error}); save it as comma-separated UTF-8.") from error
    if rows:
        _check_columns(list(rows[0]), path)
    return {name: [(row.get(name) or "").strip() for row in rows] for name in ("path", "label", "split")}


def _read_parquet(path: Path) -> Table:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import read_table
    except ImportError as error:
        raise RequestError(f"{path} needs pyarrow; install it with `pip install 'supcon[parquet]'`.") from error
    try:
        table = read_table(path)
    except (ArrowException, OSError) as error:
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
    """A list of labels is written as in a .csv file."""
    if isinstance(value, list):
        return "|".join(str(part) for part in value)
    return "" if value is None else str(value).strip()


def _check_columns(found: Sequence[str], path: Path) -> None:
    for name in ("path", "label"):
        if name not in found:
            raise RequestError(
                f"{path} has no column {name!r} but {', '.join(map(repr, found))}; its header must name path, label "
                "and perhaps split."
            )
