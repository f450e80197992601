"""All thumbnails as one image (a CSS sprite) inside the page."""

import base64
import io
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import UInt8
from PIL import Image

from supcon.report.run_results import Outputs

LARGEST_SIDE = 64
LARGEST_PNG = 400_000
PIXELATED_BELOW = 40


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


def make_sprite(outputs: Outputs) -> Sprite:
    """The sprite of a run's thumbnails: PNG, or JPEG if the PNG would be too large."""
    thumbnails = [_small(thumbnail) for thumbnail in outputs.thumbnails]
    if not thumbnails:
        return Sprite(uri="", columns=1, rows=1, ratio=1, pixelated=False, index=outputs.thumbnail_index)
    width, height = thumbnails[0].size
    columns = int(np.ceil(np.sqrt(len(thumbnails))))
    rows = -(-len(thumbnails) // columns)
    sheet = Image.new(thumbnails[0].mode, (columns * width, rows * height))
    for cell, thumbnail in enumerate(thumbnails):
        sheet.paste(thumbnail, (cell % columns * width, cell // columns * height))
    return Sprite(
        uri=_data_uri(sheet),
        columns=columns,
        rows=rows,
        ratio=width / height,
        pixelated=max(width, height) < PIXELATED_BELOW,
        index=outputs.thumbnail_index,
    )


def _small(pixels: UInt8[np.ndarray, "height width channel"]) -> Image.Image:
    """A thumbnail in grey or RGB; other numbers of channels are averaged to grey."""
    if pixels.shape[-1] == 3:
        image = Image.fromarray(np.ascontiguousarray(pixels))
    else:
        image = Image.fromarray(pixels.mean(axis=-1).round().astype(np.uint8))
    image.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
    return image


def _data_uri(sheet: Image.Image) -> str:
    encoded = _encode(sheet, format="PNG", optimize=True)
    kind = "png"
    if len(encoded) > LARGEST_PNG:
        encoded, kind = _encode(sheet, format="JPEG", quality=80, subsampling=0), "jpeg"
    return f"data:image/{kind};base64,{base64.b64encode(encoded).decode()}"


def _encode(sheet: Image.Image, **options: Any) -> bytes:
    buffer = io.BytesIO()
    sheet.save(buffer, **options)
    return buffer.getvalue()


def _share(cell: int, cells: int) -> float:
    """CSS percentages of `background-position` refer to the remaining space, not to the whole image."""
    return 100 * cell / (cells - 1) if cells > 1 else 0.0
