"""The splits of a run as a manifest: every image with the label it was trained with."""

import csv
import io
from collections.abc import Iterator

import numpy as np

from supcon.base.errors import RequestError
from supcon.data.sources.collection import Collection
from supcon.data.sources.label_names import write_label
from supcon.data.stratified_splits import ORDER, Indices, Splits


def write_split_table(collection: Collection, splits: Splits, labels: Indices) -> str:
    """CSV with `path,label,split` of every image of the splits."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("path", "label", "split"))
    for name in ORDER:
        for row in getattr(splits, name).tolist():
            label = write_label(labels[row].tolist(), collection.class_names)
            table.writerow((collection.image_name(row), label, "train" if name == "unlabelled" else name))
    return text.getvalue()


def read_split_table(text: str, collection: Collection) -> tuple[Splits, Indices]:
    """The splits and labels written by `write_split_table`, matched by image name; images added since are not used."""
    rows = {collection.image_name(row): row for row in range(len(collection))}
    numbers = {name: number for number, name in enumerate(collection.class_names)}
    labels = collection.labels.copy()
    found: dict[str, list[int]] = {name: [] for name in ORDER}
    for path, label, split in _lines(text):
        if path not in rows:
            raise _gone(path, collection)
        if label and not collection.multi_label and label not in numbers:
            raise _gone(label, collection)
        row = rows[path]
        # With several labels per image, one of no class (VOC2007: only difficult objects) has an empty label too.
        free = not label and (not collection.multi_label or bool((labels[row] < 0).all()))
        found["unlabelled" if free else split].append(row)
        if not collection.multi_label:
            labels[row] = numbers[label] if label else -1
    return Splits(**{name: np.array(some, dtype=np.int64) for name, some in found.items()}), labels


def _gone(what: str, collection: Collection) -> RequestError:
    return RequestError(
        f"{what} was in this run's data and is no longer in {collection.name}; restore it, or train again."
    )


def _lines(text: str) -> Iterator[tuple[str, str, str]]:
    """Path, label and split of every line; a RequestError if the text is no such table."""
    table = csv.DictReader(io.StringIO(text, newline=""))
    try:
        if table.fieldnames != ["path", "label", "split"]:
            raise ValueError("it must begin with path,label,split")
        for number, line in enumerate(table, 2):
            if None in line or None in line.values() or line["split"] not in ("train", "validation", "test"):
                raise ValueError(f"line {number} must be a path, a label and a split")
            yield line["path"], line["label"], line["split"]
    except (ValueError, csv.Error) as error:
        raise RequestError(f"The run's splits.csv is damaged ({error}); train again.") from error
