"""Loads named data sets as collections: found on disk, or downloaded if the user asks for it."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.error import URLError

import numpy as np
from torchvision import datasets

from supcon.base.errors import RequestError, WorkError
from supcon.data.catalogue import BY_NAME, NamedData
from supcon.data.sources.collection import Collection
from supcon.data.sources.embedded_digits import digits
from supcon.data.sources.encoded_images import Files
from supcon.data.sources.idx import idx_parts
from supcon.data.sources.image_folder import folder
from supcon.data.sources.listed_sets import read_birdsnap, read_caltech101, read_sun397, read_voc2007
from supcon.data.sources.locations import data_root, find_root, missing
from supcon.data.sources.torchvision_sets import FILE_SETS, NamedSplit, read_cifar, read_files, read_stl10, read_svhn
from supcon.data.stratified_splits import Indices, SplitName

_CLOTHES = ("T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot")
_DIGITS = tuple(str(digit) for digit in range(10))

_READERS: dict[str, Callable[[Path], dict[str, NamedSplit]]] = {
    "mnist": lambda root: _idx(root, ("MNIST/raw", "mnist"), _DIGITS),
    "fashion-mnist": lambda root: _idx(root, ("FashionMNIST/raw", "fashion-mnist"), _CLOTHES),
    "cifar10": partial(read_cifar, datasets.CIFAR10),
    "cifar100": partial(read_cifar, datasets.CIFAR100),
    "svhn": read_svhn,
    "stl10": read_stl10,
    "sun397": read_sun397,
    "caltech101": read_caltech101,
    "birdsnap": read_birdsnap,
    "voc2007": read_voc2007,
    **{name: partial(read_files, name) for name in FILE_SETS},
}

_DOWNLOADS: dict[str, Callable[[Path], Any]] = {
    "mnist": partial(datasets.MNIST, download=True),
    "fashion-mnist": partial(datasets.FashionMNIST, download=True),
    "cifar10": partial(datasets.CIFAR10, download=True),
    "cifar100": partial(datasets.CIFAR100, download=True),
    "svhn": lambda root: [datasets.SVHN(root, split=split, download=True) for split in ("train", "test")],
    "stl10": partial(datasets.STL10, download=True),
    "sun397": partial(datasets.SUN397, download=True),
    "caltech101": partial(datasets.Caltech101, download=True),
    "voc2007": lambda root: [
        datasets.VOCDetection(root, year="2007", image_set=which, download=True) for which in ("trainval", "test")
    ],
    **{name: partial(kind.kind, download=True) for name, kind in FILE_SETS.items()},
}


def named(name: str, root: str | None = None, *, download: bool = False) -> Collection:
    """The named data set, in the splits of its protocol."""
    if name == "digits":
        return digits()
    entry = BY_NAME[name]
    place = find_root(entry, root)
    if place is None and download and entry.download:
        place = _download(entry, data_root(root))
    if place is None:
        raise missing(entry, root)
    if name == "imagenet":
        found = next(place / marker for marker in entry.markers if (place / marker).exists())
        return folder(found.parent, name)
    return _collect(entry, _read(entry, place), place)


def _read(entry: NamedData, place: Path) -> dict[str, NamedSplit]:
    try:
        return _READERS[entry.name](place)
    except RequestError:
        raise
    except (OSError, RuntimeError, ValueError, KeyError) as error:  # what torchvision raises for incomplete files
        reason = " ".join(str(error).split())
        raise RequestError(f"{entry.name} in {place} cannot be read ({reason}); download it again.") from error


def _download(entry: NamedData, place: Path) -> Path:
    try:
        place.mkdir(parents=True, exist_ok=True)
        _DOWNLOADS[entry.name](place)
    except (URLError, OSError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise WorkError(f"{entry.name} could not be downloaded to {place} ({reason}); try again later.") from error
    return place


def _collect(entry: NamedData, parts: Mapping[str, NamedSplit], place: Path) -> Collection:
    """The splits of a set, concatenated."""
    ends = np.cumsum([len(part.labels) for part in parts.values()])
    given: dict[SplitName, Indices] = {
        cast(SplitName, split): np.arange(end - len(part.labels), end)
        for (split, part), end in zip(parts.items(), ends, strict=True)
    }
    pixels = [part.images for part in parts.values() if isinstance(part.images, np.ndarray)]
    paths = [path for part in parts.values() if not isinstance(part.images, np.ndarray) for path in part.images]
    return Collection(
        name=entry.name,
        class_names=tuple(str(name) for name in parts["train"].class_names),
        images=np.concatenate(pixels) if pixels else Files(place, paths),
        labels=np.concatenate([part.labels for part in parts.values()]),
        given=given,
        metric=entry.metric,
    )


def _idx(root: Path, folders: tuple[str, ...], class_names: tuple[str, ...]) -> dict[str, NamedSplit]:
    found = next(root / folder for folder in folders if (root / folder).exists())
    return {split: NamedSplit(images, labels, class_names) for split, (images, labels) in idx_parts(found).items()}
