"""Draws a contact sheet: rows of small images with captions."""

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

_SIDE = 128
_GAP = 8
_TEXT = 11
_LINE = 14
_INK, _PAPER = "#222222", "#ffffff"


@dataclass(frozen=True)
class Cell:
    """An image and the lines of its caption."""

    image: Image.Image
    lines: Sequence[str]


def draw_cells(rows: Sequence[Sequence[Cell]], title: str) -> Image.Image:
    """Draws the rows; the height of a row depends on its longest caption."""
    heights = [_SIDE + _LINE * max(len(cell.lines) for cell in row) + 2 * _GAP for row in rows]
    width = max(len(row) for row in rows) * (_SIDE + _GAP) + _GAP
    sheet = Image.new("RGB", (width, 3 * _GAP + _LINE + sum(heights)), _PAPER)
    pen = ImageDraw.Draw(sheet)
    pen.text((_GAP, _GAP), title, fill=_INK, font=ImageFont.load_default(_TEXT + 3))
    top = 3 * _GAP + _LINE
    for row, height in zip(rows, heights, strict=True):
        for column, cell in enumerate(row):
            _draw_cell(sheet, pen, cell, _GAP + column * (_SIDE + _GAP), top)
        top += height
    return sheet


def _draw_cell(sheet: Image.Image, pen: ImageDraw.ImageDraw, cell: Cell, left: int, top: int) -> None:
    scale = _SIDE / max(cell.image.size)
    size = (max(1, round(cell.image.width * scale)), max(1, round(cell.image.height * scale)))
    # No interpolation when enlarging, so that the exact pixels of the encoder's input are visible.
    method = Image.Resampling.NEAREST if scale >= 1 else Image.Resampling.BOX
    sheet.paste(cell.image.convert("RGB").resize(size, method), (left, top))
    font = ImageFont.load_default(_TEXT)
    for number, line in enumerate(cell.lines):
        pen.text((left, top + _SIDE + 2 + number * _LINE), line, fill=_INK, font=font)
