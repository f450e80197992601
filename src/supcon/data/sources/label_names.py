"""Conversion between written labels (names, several separated by `|`) and class indices."""

from collections.abc import Sequence

import numpy as np

from supcon.base.errors import RequestError
from supcon.data.stratified_splits import Indices


def number_labels(written: Sequence[str], what: str) -> tuple[tuple[str, ...], Indices]:
    """Sorted class names, and the labels as class indices; an empty label is unlabelled (-1).

    If any image has several labels, the labels are [image, class] of 1 and 0, with -1 everywhere for an unlabelled
    image. If all names are integers, they are sorted as numbers.

    >>> number_labels(["dog", "cat", ""], "x.csv")
    (('cat', 'dog'), array([ 1,  0, -1]))
    >>> number_labels(["dog|cat", "cat"], "x.csv")[1].tolist()
    [[1, 1], [1, 0]]
    """
    several = [[part.strip() for part in label.split("|") if part.strip()] for label in written]
    found = {name for names in several for name in names}
    class_names = tuple(sorted(found, key=int) if all(name.isdecimal() for name in found) else sorted(found))
    if len(class_names) < 2:
        raise RequestError(f"{what} has {len(class_names)} class(es), but at least two are needed; add labels.")
    index = {name: number for number, name in enumerate(class_names)}
    if all(len(names) <= 1 for names in several):
        return class_names, np.array([index[names[0]] if names else -1 for names in several], dtype=np.int64)
    labels = np.zeros((len(written), len(class_names)), dtype=np.int64)
    for row, names in enumerate(several):
        labels[row, [index[name] for name in names]] = 1
        if not names:
            labels[row] = -1
    return class_names, labels


def write_label(label: int | Sequence[int], class_names: Sequence[str]) -> str:
    """The label of one image as written in a manifest."""
    if isinstance(label, int):
        return class_names[label] if label >= 0 else ""
    return "|".join(name for name, there in zip(class_names, label, strict=True) if there > 0)
