"""16-bit images that would be read as black without a word."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from supcon.data import DataConfig, load_data
from supcon.data.dark_images import dark_sentence


def written(folder: Path, largest: int, dtype: type[np.generic], count: int = 3) -> list[Path]:
    folder.mkdir(parents=True)
    pixels = np.linspace(0, largest, 64).reshape(8, 8).round().astype(dtype)
    paths = [folder / f"{number}.png" for number in range(count)]
    for path in paths:
        Image.fromarray(pixels).save(path)
    return paths


def test_ten_bits_in_sixteen_are_named_with_their_range_and_what_to_do(tmp_path: Path) -> None:
    assert dark_sentence("cells", written(tmp_path / "a", 1023, np.uint16)) == (
        "The 16-bit images of cells are read as nearly black: 65,535 is white, and the values of the 3 images that "
        "were looked at are from 0 to 1,023; multiply the pixels by 64.06, or write 8-bit files."
    )


def test_bright_and_eight_bit_images_and_what_is_no_image_give_no_sentence(tmp_path: Path) -> None:
    (tmp_path / "no.png").write_text("no image")
    assert dark_sentence("cells", [tmp_path / "no.png"]) is None
    assert dark_sentence("cells", []) is None
    assert dark_sentence("cells", written(tmp_path / "a", 60_000, np.uint16)) is None
    assert dark_sentence("cells", written(tmp_path / "b", 12, np.uint8)) is None
    both = [*written(tmp_path / "c", 900, np.uint16), *written(tmp_path / "d", 60_000, np.uint16)]
    assert dark_sentence("cells", both) is None


def test_it_is_said_once_for_a_data_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("cats", "dogs"):
        written(tmp_path / "cells" / name, 1023, np.uint16, count=10)
    load_data(DataConfig(spec=str(tmp_path / "cells")))
    assert capsys.readouterr().err.count("are read as nearly black") == 1
