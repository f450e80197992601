"""Encoded images that can be read one by one, in any order, from any process."""

import os
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Protocol, runtime_checkable

from PIL import Image

ImageSource = str | Path | BytesIO | Image.Image
"""An image file, its bytes, or an image that Pillow has opened already."""


def in_memory(source: ImageSource) -> ImageSource:
    """The same image with the content of its file at hand: Pillow reads a file in many small pieces otherwise."""
    return BytesIO(Path(source).read_bytes()) if isinstance(source, str | Path) else source


@runtime_checkable
class EncodedImages(Protocol):
    """What every kind of data can do before anything is decoded."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> ImageSource:
        """The image, as the decoder takes it."""

    def name(self, index: int) -> str:
        """What the image is called within its data: the same tomorrow, and on another machine."""

    def where(self, index: int) -> str:
        """Where a person finds it."""

    def stamp(self, index: int) -> str:
        """Something cheap that differs when the content may differ."""


class Files:
    """Image files below a folder; one outside it is called by its full path."""

    def __init__(self, root: Path, paths: Sequence[Path | str]) -> None:
        self.root, self.paths = root, [str(path) for path in paths]
        self._prefix = f"{root}/"

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> Path:
        return Path(self.paths[index])

    def name(self, index: int) -> str:
        return self.paths[index].removeprefix(self._prefix)

    def where(self, index: int) -> str:
        return self.paths[index]

    def stamp(self, index: int) -> str:
        try:
            status = os.stat(self.paths[index])
        except OSError:
            return "missing"
        return f"{status.st_size} {status.st_mtime_ns}"


class Picked:
    """Some pictures of a larger collection, in an order of their own."""

    def __init__(self, pictures: EncodedImages, rows: Sequence[int]) -> None:
        self.pictures, self.rows = pictures, rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> ImageSource:
        return self.pictures[self.rows[index]]

    def name(self, index: int) -> str:
        return self.pictures.name(self.rows[index])

    def where(self, index: int) -> str:
        return self.pictures.where(self.rows[index])

    def stamp(self, index: int) -> str:
        return self.pictures.stamp(self.rows[index])
