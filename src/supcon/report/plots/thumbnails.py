"""Thumbnails as one image (a CSS sprite) inside the page, within a limit of bytes."""

import base64
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import UInt8
from PIL import Image

from supcon.report.run_results import Outputs

SIDES = (64, 48, 32, 24)
"""The largest that fits the limit is used."""
LARGEST_PNG = 300_000
PIXELATED_BELOW = 40
QUALITY = 75


@dataclass(frozen=True, kw_only=True, eq=False)
class Sprite:
    """All thumbnails side by side in a grid."""

    uri: str
    """The image as a data URI; empty if there are no thumbnails."""

    columns: int
    rows: int
    ratio: float
    """Width over height of one thumbnail."""

    pixelated: bool
    """Whether the thumbnails are so small that their pixels should stay visible when enlarged."""

    index: np.ndarray
    """The test image of each cell, row by row."""

    @cached_property
    def cells(self) -> dict[int, int]:
        """The cell of every test image that has a thumbnail."""
        return {int(image): cell for cell, image in enumerate(self.index)}

    def position(self, image: int) -> str | None:
        """The position of a test image in the sprite, as CSS `background-position`; None if it has no thumbnail."""
        if image not in self.cells:
            return None
        row, column = divmod(self.cells[image], self.columns)
        return f"{_share(column, self.columns):.4f}% {_share(row, self.rows):.4f}%"

    def grid(self) -> dict[str, Any]:
        """The size of the grid, for the page's script."""
        return {"columns": self.columns, "rows": self.rows}


def make_sprite(outputs: Outputs, limit: int = 1_800_000) -> Sprite:
    """The thumbnails of a run's test images."""
    return sheet(outputs.thumbnails, outputs.thumbnail_index, limit)


def sheet(
    thumbnails: UInt8[np.ndarray, "thumbnail height width channel"],
    index: np.ndarray | None = None,
    limit: int = 400_000,
) -> Sprite:
    """Thumbnails in one image of at most `limit` bytes: PNG if that is small, otherwise WebP, smaller if it must be.

    `index` names the image of each thumbnail; by default they are numbered.
    """
    index = np.arange(len(thumbnails)) if index is None else index
    if not len(thumbnails):
        return Sprite(uri="", columns=1, rows=1, ratio=1, pixelated=False, index=index)
    for side in SIDES:
        picture, (width, height) = _paste([_small(thumbnail, side) for thumbnail in thumbnails])
        kind, encoded = _encoded(picture)
        if len(encoded) <= limit:
            break
    columns = picture.width // width
    return Sprite(
        uri=f"data:image/{kind};base64,{base64.b64encode(encoded).decode()}",
        columns=columns,
        rows=picture.height // height,
        ratio=width / height,
        pixelated=max(width, height) < PIXELATED_BELOW,
        index=index,
    )


def _paste(thumbnails: Sequence[Image.Image]) -> tuple[Image.Image, tuple[int, int]]:
    """All thumbnails in a grid that is about as high as it is wide, and the size of one."""
    width, height = thumbnails[0].size
    columns = math.ceil(math.sqrt(len(thumbnails)))
    picture = Image.new(thumbnails[0].mode, (columns * width, -(-len(thumbnails) // columns) * height))
    for cell, thumbnail in enumerate(thumbnails):
        picture.paste(thumbnail, (cell % columns * width, cell // columns * height))
    return picture, (width, height)


def _small(pixels: UInt8[np.ndarray, "height width channel"], side: int) -> Image.Image:
    """A thumbnail in grey or RGB; other numbers of channels are averaged to grey."""
    if pixels.shape[-1] == 3:
        image = Image.fromarray(np.ascontiguousarray(pixels))
    else:
        image = Image.fromarray(pixels.mean(axis=-1).round().astype(np.uint8))
    image.thumbnail((side, side))
    return image


def _encoded(picture: Image.Image) -> tuple[str, bytes]:
    # A PNG of many pixels takes long and is too large anyway.
    if picture.width * picture.height * len(picture.getbands()) <= 2 * LARGEST_PNG:
        encoded = _bytes(picture, format="PNG", optimize=True)
        if len(encoded) <= LARGEST_PNG:
            return "png", encoded
    return "webp", _bytes(picture, format="WEBP", quality=QUALITY, method=2)


def _bytes(picture: Image.Image, **options: Any) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, **options)
    return buffer.getvalue()


def _share(cell: int, cells: int) -> float:
    """CSS percentages of `background-position` refer to the remaining space, not to the whole image."""
    return 100 * cell / (cells - 1) if cells > 1 else 0.0
