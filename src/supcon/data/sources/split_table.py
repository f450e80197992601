"""The splits of a run as a manifest: every image with the label it was trained with."""

import csv
import io

import numpy as np

from supcon.base.errors import RequestError
from supcon.data.sources.collection import Collection
from supcon.data.sources.label_names import write_label
from supcon.data.stratified_splits import Indices, Splits

_ORDER = ("train", "unlabelled", "validation", "test")


def write_split_table(collection: Collection, splits: Splits, labels: Indices) -> str:
    """CSV with `path,label,split` of every image of the splits."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("path", "label", "split"))
    for name in _ORDER:
        for row in getattr(splits, name).tolist():
            label = write_label(labels[row].tolist(), collection.class_names)
            table.writerow((collection.image_name(row), label, "train" if name == "unlabelled" else name))
    return text.getvalue()


def read_split_table(text: str, collection: Collection) -> tuple[Splits, Indices]:
    """The splits and labels written by `write_split_table`, matched by image name; images added since are not used."""
    rows = {collection.image_name(row): row for row in range(len(collection))}
    numbers = {name: number for number, name in enumerate(collection.class_names)}
    labels = collection.labels.copy()
    found: dict[str, list[int]] = {name: [] for name in _ORDER}
    try:
        for line in csv.DictReader(io.StringIO(text)):
            row, free = rows[line["path"]], not line["label"]
            found["unlabelled" if free else line["split"]].append(row)
            if not collection.multi_label:
                labels[row] = -1 if free else numbers[line["label"]]
    except KeyError as error:
        raise RequestError(
            f"{error.args[0]} was in this run's data and is no longer in {collection.name}; restore it, or train again."
        ) from error
    return Splits(**{name: np.array(some, dtype=np.int64) for name, some in found.items()}), labels
