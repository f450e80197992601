"""Published corrupted sets on disk: ImageNet-C's folders and CIFAR-10-C's arrays.

ImageNet-C is `CORRUPTION/SEVERITY/CLASS/image.JPEG`, with or without the folder of its archive (`noise`, `blur`, …)
above it. CIFAR-10-C and similar sets have one `CORRUPTION.npy` of uint8 [5 x images, height, width, channel], with the
severities one after the other, and a `labels.npy`. Batches are read one at a time, since a severity of ImageNet-C does
not fit into memory.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from supcon.base.errors import RequestError
from supcon.base.shapes import Images, Labels
from supcon.data import Layout, decode_all
from supcon.evaluation.corruptions.parameters import SEVERITIES
from supcon.evaluation.corruptions.set_folders import corruption_folder

Batches = Iterator[tuple[Images, Labels]]


def published_images(root: Path, name: str, severity: int) -> int:
    """Number of images of one severity of one corruption."""
    if (root / f"{name}.npy").is_file():
        return len(_read(root / f"{name}.npy")) // len(SEVERITIES)
    folder = corruption_folder(root, name)
    return 0 if folder is None else sum(1 for _ in (folder / str(severity)).glob("*/*"))


def published_batches(
    root: Path, name: str, severity: int, class_names: Sequence[str], layout: Layout, *, batch_size: int = 256
) -> Batches:
    """(images, labels) of one severity of one corruption, for either kind of set."""
    if severity not in SEVERITIES:
        raise RequestError(f"The severity must be an integer from 1 to 5, got {severity}.")
    if (root / f"{name}.npy").is_file():
        return array_batches(root, name, severity, len(class_names), layout.channels, batch_size=batch_size)
    return folder_batches(root, name, severity, class_names, layout, batch_size=batch_size)


def array_batches(
    root: Path, name: str, severity: int, classes: int, channels: int = 3, *, batch_size: int = 256
) -> Batches:
    """Batches of a set like CIFAR-10-C; only the batch is read into memory."""
    images, labels = _read(root / f"{name}.npy"), _read(root / "labels.npy")
    _check_arrays(root, name, images, labels, channels)
    if labels.max() >= classes or labels.min() < 0:
        raise RequestError(
            f"{root / 'labels.npy'} has the class {labels.max()} but the run has {classes} classes, 0 to "
            f"{classes - 1}; give the corrupted set of the data the run was trained on."
        )
    count = len(images) // len(SEVERITIES)
    rows = range((severity - 1) * count, severity * count)
    return (
        (
            _to_images(images[start : min(start + batch_size, rows.stop)]),
            _to_labels(labels, start, batch_size, rows.stop),
        )
        for start in rows[::batch_size]
    )


def folder_batches(
    root: Path, name: str, severity: int, class_names: Sequence[str], layout: Layout, *, batch_size: int = 256
) -> Batches:
    """Batches of a set like ImageNet-C; images of another size than the layout's are resized and cropped."""
    folder = corruption_folder(root, name)
    if folder is None or not (folder / str(severity)).is_dir():
        raise RequestError(f"{root} has no severity {severity} of the corruption {name}; give a complete folder.")
    top = folder / str(severity)
    there = sorted(path.name for path in top.iterdir() if path.is_dir())
    unknown = sorted(set(there) - set(class_names))
    if unknown or not there:
        what = f"the class {unknown[0]!r}, which is not a class of the run" if unknown else "no class folders"
        raise RequestError(f"{top} has {what}; give the corrupted set of the data the run was trained on.")
    files = [(path, class_names.index(label)) for label in there for path in sorted((top / label).iterdir())]
    if not files:
        raise RequestError(f"{top} has no images; give a complete folder.")
    return (
        (decode_all([path for path, _ in some], layout), torch.tensor([label for _, label in some]))
        for some in (files[start : start + batch_size] for start in range(0, len(files), batch_size))
    )


def _read(path: Path) -> NDArray[Any]:
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise RequestError(f"{path} cannot be read as a NumPy array; download it again.") from error
    return array


def _check_arrays(root: Path, name: str, images: NDArray[Any], labels: NDArray[Any], channels: int) -> None:
    if images.dtype != np.uint8 or images.ndim != 4 or images.shape[3] != channels or len(images) % len(SEVERITIES):
        raise RequestError(
            f"{root / name}.npy must be uint8 of shape [5 x images, height, width, {channels}], got {images.dtype} of "
            f"shape {list(images.shape)}; give the published array."
        )
    if labels.ndim != 1 or labels.dtype.kind not in "iu" or len(labels) != len(images) or len(labels) == 0:
        raise RequestError(
            f"{root / 'labels.npy'} must be {len(images)} integers, one for each image of {name}.npy, got "
            f"{labels.dtype} of shape {list(labels.shape)}; give the published array."
        )


def _to_images(part: NDArray[np.uint8]) -> Images:
    # Always a copy: the memory-mapped file must not be written to.
    return torch.from_numpy(np.array(part.transpose(0, 3, 1, 2), order="C"))


def _to_labels(labels: NDArray[Any], start: int, batch_size: int, stop: int) -> Labels:
    return torch.from_numpy(labels[start : min(start + batch_size, stop)].astype(np.int64))
