"""Arrays passed in Python, stored in the cache under a hash of their content so that later commands find them.

`supcon.train((images, labels))` takes uint8 images as [image, height, width], [image, height, width, channel] or
[image, channel, height, width], from numpy or torch, and labels as integers (-1 is unlabelled) or names;
`{"train": (images, labels), "test": ...}` defines the splits.
"""

import hashlib
import json
import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from supcon.base.atomic_files import write_file, write_text
from supcon.base.errors import RequestError, disk_errors
from supcon.base.stored_values import from_values, read_json
from supcon.data.sources.collection import Collection
from supcon.data.sources.label_names import number_labels
from supcon.data.sources.locations import cache_folder
from supcon.data.stratified_splits import SPLIT_OF, SplitName

Arrays = tuple[Any, Any] | Mapping[str, tuple[Any, Any]]
"""(images, labels), or a dict of these by split."""
_ADVICE = "remove the folder and train on the arrays again"


def keep_arrays(arrays: Arrays, *, owner: str = "") -> str:
    """Writes arrays to the cache, unless the same content of the same owner is there already; returns their spec."""
    parts = dict(arrays) if isinstance(arrays, Mapping) else {"train": arrays}
    pixels, written, splits = [], [], []
    for split, part in parts.items():
        if split not in SPLIT_OF or not isinstance(part, tuple | list) or len(part) != 2:
            raise RequestError(
                f"Arrays must be (images, labels), or a dict of these with the keys train, val and test; got {split!r}."
            )
        images, labels = _pixels(part[0]), _labels(part[1])
        if len(images) != len(labels):
            raise RequestError(
                f"There are {len(images)} images but {len(labels)} labels in {split}; give one label per image."
            )
        pixels.append(images)
        written += labels
        splits += [split] * len(labels)
    if len({array.shape[1:] for array in pixels}) > 1:
        shapes = ", ".join(str(array.shape[1:]) for array in pixels)
        raise RequestError(f"All images need the same channels, height and width, got {shapes}; resize them.")
    class_names, numbers = number_labels(written, "The array of labels")
    description: dict[str, Any] = {"class_names": class_names, "splits": splits if len(parts) > 1 else []}
    if owner:
        description["owner"] = owner
    return "arrays:" + _store(np.concatenate(pixels), numbers, description)


@contextmanager
def borrowed_arrays(arrays: Arrays) -> Iterator[str]:
    """Arrays in the cache for the time of a with statement, in an entry that no other process uses."""
    spec = keep_arrays(arrays, owner=uuid.uuid4().hex)
    try:
        yield spec
    finally:
        shutil.rmtree(cache_folder() / "arrays" / spec.removeprefix("arrays:"), ignore_errors=True)


def kept_arrays(key: str) -> Collection:
    """The arrays that `keep_arrays` stored; the pixels stay on disk until they are used."""
    folder = cache_folder() / "arrays" / key
    if not (folder / "description.json").exists():
        raise RequestError(
            f"The arrays of this run are not in {folder}; train on them again, or set SUPCON_CACHE to the cache folder "
            "that has them."
        )
    try:
        description = from_values(_Description, read_json(folder / "description.json", _ADVICE))
    except ValueError as error:
        raise RequestError(f"The arrays in {folder} are damaged ({error}); {_ADVICE}.") from error
    splits = np.array([SPLIT_OF[split] for split in description.splits])
    names: tuple[SplitName, ...] = ("train", "validation", "test")
    try:
        images = np.load(folder / "images.npy", mmap_mode="r", allow_pickle=False)
        labels = np.load(folder / "labels.npy", allow_pickle=False)
        if len(images) != len(labels) or images.dtype != np.uint8 or images.ndim != 4:
            raise ValueError("images and labels do not belong together")
    except (OSError, ValueError, EOFError) as error:
        raise RequestError(f"The arrays in {folder} are damaged ({error}); {_ADVICE}.") from error
    return Collection(
        name="arrays",
        class_names=tuple(description.class_names),
        images=images,
        labels=labels,
        given={name: np.flatnonzero(splits == name) for name in names if (splits == name).any()},
    )


@dataclass(frozen=True)
class _Description:
    class_names: Sequence[str]
    splits: Sequence[Literal["train", "val", "valid", "validation", "test"]]
    owner: str = ""
    """Keeps arrays of the same content apart that are removed at different times."""


def _store(pixels: NDArray[np.uint8], labels: NDArray[np.int64], description: dict[str, Any]) -> str:
    text = json.dumps(description, ensure_ascii=False)
    digest = hashlib.blake2b(text.encode(), digest_size=12)
    for array in (pixels, labels):
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array).data)
    folder = cache_folder() / "arrays" / digest.hexdigest()
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    # Several processes may write the same entry at once, so each file is replaced atomically.
    if not (folder / "description.json").exists():
        write_file(folder / "images.npy", lambda file: np.save(file, pixels, allow_pickle=False))
        write_file(folder / "labels.npy", lambda file: np.save(file, labels, allow_pickle=False))
        write_text(folder / "description.json", text)  # last: its presence means that the entry is complete
    return digest.hexdigest()


def _pixels(given: Any) -> NDArray[np.uint8]:
    """The images as [image, channel, height, width], from any of the accepted layouts."""
    images = _array(given, "Images")
    if images.dtype != np.uint8:
        raise RequestError(f"Arrays of images must be uint8 (0 to 255), got {images.dtype}; convert them.")
    if images.ndim == 3:
        return images[:, None]
    if images.ndim == 4 and images.shape[1] in (1, 3):
        return images
    if images.ndim == 4 and images.shape[3] in (1, 3):
        return images.transpose(0, 3, 1, 2)
    raise RequestError(
        "Arrays of images must be [image, height, width], [image, height, width, channel] or [image, channel, height, "
        f"width] with 1 or 3 channels, got the shape {images.shape}."
    )


def _array(given: Any, what: str) -> NDArray[Any]:
    try:
        return np.asarray(given)
    except (TypeError, ValueError, NotImplementedError) as error:  # rows of several lengths; no type of numpy
        raise RequestError(f"{what} must be an array of numpy or what becomes one ({error}); convert them.") from error


def _labels(given: Any) -> list[str]:
    labels = _array(given, "Labels")
    if labels.ndim != 1 or labels.dtype.kind not in "iuUO":
        raise RequestError(
            f"Labels must be a 1-d array of integers or names, one per image, got {labels.dtype} of shape "
            f"{labels.shape}."
        )
    return ["" if label in (-1, None) else str(label) for label in labels.tolist()]
