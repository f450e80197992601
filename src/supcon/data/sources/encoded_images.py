"""Encoded images that can be read one by one, in any order, from any process."""

import os
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Protocol, runtime_checkable

from PIL import Image

from supcon.base.bounded_reading import read_bytes

_LARGEST = 1 << 30
"""Bytes of an image file."""
ImageSource = str | Path | BytesIO | Image.Image
"""An image file, its bytes, or an image opened by Pillow."""


def in_memory(source: ImageSource) -> ImageSource:
    """The image with its file read into memory: Pillow would read the file in many small pieces."""
    return BytesIO(read_bytes(source, _LARGEST)) if isinstance(source, str | Path) else source


@runtime_checkable
class EncodedImages(Protocol):
    """A sequence of encoded images, which every kind of data provides."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> ImageSource:
        """The image, in a form that `decode` accepts."""

    def name(self, index: int) -> str:
        """The image's name within its data set; does not change between runs or machines."""

    def where(self, index: int) -> str:
        """The image's location, for messages."""

    def stamp(self, index: int) -> str:
        """A cheap fingerprint that changes when the content may have changed (size and modification time)."""


class Files:
    """Image files below a folder; a file outside it is named by its full path."""

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
    """A subset of encoded images, in the given order."""

    def __init__(self, encoded: EncodedImages, rows: Sequence[int]) -> None:
        self.encoded, self.rows = encoded, rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> ImageSource:
        return self.encoded[self.rows[index]]

    def name(self, index: int) -> str:
        return self.encoded.name(self.rows[index])

    def where(self, index: int) -> str:
        return self.encoded.where(self.rows[index])

    def stamp(self, index: int) -> str:
        return self.encoded.stamp(self.rows[index])
