"""MNIST and Fashion-MNIST from their four idx files, compressed or not, as torchvision or Debian store them."""

import gzip
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supcon.base.errors import RequestError

_FILES = {"train": "train", "test": "t10k"}
ImagesAndLabels = tuple[NDArray[np.uint8], NDArray[np.int64]]


def idx_parts(folder: Path) -> dict[str, ImagesAndLabels]:
    """Images [image, 1, height, width] and labels of the splits train and test."""
    parts = {}
    for split, prefix in _FILES.items():
        images = read_idx(_find(folder, f"{prefix}-images-idx3-ubyte"))
        labels = read_idx(_find(folder, f"{prefix}-labels-idx1-ubyte"))
        if len(images) != len(labels):
            raise RequestError(
                f"{folder} has {len(images)} {split} images but {len(labels)} labels; download it again."
            )
        parts[split] = images[:, None], labels.astype(np.int64)
    return parts


def read_idx(path: Path) -> NDArray[np.uint8]:
    """The uint8 array of an idx file: two zero bytes, type, number of axes, their lengths, then the values."""
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        axes = content[3]
        shape = [int(length) for length in np.frombuffer(content, ">u4", axes, 4)]
        if content[:3] != b"\0\0\x08":
            raise ValueError("its values are not uint8")
        return np.frombuffer(content, np.uint8, offset=4 + 4 * axes).reshape(shape)
    except (OSError, EOFError, ValueError, IndexError) as error:
        raise RequestError(f"{path} is not a complete idx file ({error}); download the data set again.") from error


def _find(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.exists():
            return path
    raise RequestError(f"{folder} has no {name} or {name}.gz; download the data set again.")
