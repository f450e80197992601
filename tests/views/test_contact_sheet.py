"""The layout of a contact sheet."""

from PIL import Image

from supcon.views.contact_sheet import Cell, draw_cells


def cell(colour: str, size: tuple[int, int] = (4, 4), lines: int = 1) -> Cell:
    return Cell(Image.new("RGB", size, colour), ["caption"] * lines)


def test_images_stand_in_rows_and_columns() -> None:
    sheet = draw_cells([[cell("#ff0000"), cell("#00ff00", lines=3)], [cell("#0000ff")]], "title")
    # Cells are 128 pixels with gaps of 8; the first row starts below the title and is as high as its longest caption.
    assert sheet.size == (2 * (128 + 8) + 8, 38 + (128 + 3 * 14 + 16) + (128 + 14 + 16))
    assert sheet.getpixel((8 + 64, 38 + 64)) == (255, 0, 0)
    assert sheet.getpixel((144 + 64, 38 + 64)) == (0, 255, 0)
    assert sheet.getpixel((8 + 64, 38 + 186 + 64)) == (0, 0, 255)
    assert sheet.getpixel((144 + 64, 38 + 186 + 64)) == (255, 255, 255)


def test_small_images_are_enlarged_by_repeating_pixels_and_keep_their_aspect() -> None:
    image = Image.new("RGB", (2, 1), "#000000")
    image.putpixel((1, 0), (255, 0, 0))
    sheet = draw_cells([[Cell(image, [])]], "")
    colours = {sheet.getpixel((8 + x, 38 + y)) for x in range(128) for y in range(64)}
    assert colours == {(0, 0, 0), (255, 0, 0)}
    assert sheet.getpixel((8 + 63, 38)) == (0, 0, 0)
    assert sheet.getpixel((8 + 64, 38)) == (255, 0, 0)
    assert sheet.getpixel((8 + 10, 38 + 70)) == (255, 255, 255)
