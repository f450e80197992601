"""Named sets read by torchvision: their pixels or files, labels and splits."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torchvision import datasets

from supcon.data.stratified_splits import Indices


class NamedSplit(NamedTuple):
    """One split of a set."""

    images: NDArray[np.uint8] | Sequence[Path | str]
    labels: Indices
    class_names: Sequence[str]


def read_cifar(kind: Callable[..., Any], root: Path) -> dict[str, NamedSplit]:
    """CIFAR-10 or CIFAR-100."""
    parts = {}
    for split in ("train", "test"):
        part = kind(root, train=split == "train")
        parts[split] = NamedSplit(
            part.data.transpose(0, 3, 1, 2), np.asarray(part.targets, dtype=np.int64), part.classes
        )
    return parts


def read_svhn(root: Path) -> dict[str, NamedSplit]:
    """The two official splits, without the extra images."""
    names = [str(digit) for digit in range(10)]
    parts = {split: datasets.SVHN(root, split=split) for split in ("train", "test")}
    return {split: NamedSplit(part.data, part.labels.astype(np.int64), names) for split, part in parts.items()}


def read_stl10(root: Path) -> dict[str, NamedSplit]:
    """Train, unlabelled (label -1) and test."""
    parts = {split: datasets.STL10(root, split=split) for split in ("train+unlabeled", "test")}
    return {
        split.split("+")[0]: NamedSplit(part.data, part.labels.astype(np.int64), part.classes)
        for split, part in parts.items()
    }


class FileSet(NamedTuple):
    """torchvision's class for a set, its names of the splits, and its attributes for paths and labels."""

    kind: Callable[..., Any]
    splits: dict[str, str]
    paths: str
    labels: str = "_labels"


FILE_SETS = {
    "food101": FileSet(datasets.Food101, {"train": "train", "test": "test"}, "_image_files"),
    "fgvc-aircraft": FileSet(
        datasets.FGVCAircraft, {"train": "train", "validation": "val", "test": "test"}, "_image_files"
    ),
    "dtd": FileSet(datasets.DTD, {"train": "train", "validation": "val", "test": "test"}, "_image_files"),
    "oxford-pets": FileSet(datasets.OxfordIIITPet, {"train": "trainval", "test": "test"}, "_images"),
    "oxford-flowers": FileSet(
        datasets.Flowers102, {"train": "train", "validation": "val", "test": "test"}, "_image_files"
    ),
    "stanford-cars": FileSet(datasets.StanfordCars, {"train": "train", "test": "test"}, "_samples", "_samples"),
}


def read_files(name: str, root: Path) -> dict[str, NamedSplit]:
    """A set whose images are files; paths come from torchvision's attributes, so that listing decodes nothing."""
    kind, splits, paths, labels = FILE_SETS[name]
    parts = {}
    for ours, theirs in splits.items():
        part = kind(root, split=theirs)
        files, classes = getattr(part, paths), getattr(part, labels)
        if paths == labels:  # pairs
            files, classes = zip(*files, strict=True)
        parts[ours] = NamedSplit(list(files), np.asarray(classes, dtype=np.int64), part.classes)
    return parts
