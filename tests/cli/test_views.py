from pathlib import Path
from typing import get_args

import pytest
from PIL import Image

from supcon.cli.main import main
from supcon.views.config import AugmentationName


@pytest.mark.parametrize("augmentation", get_args(AugmentationName))
def test_a_picture_of_every_augmentation_on_a_folder(photos: Path, tmp_path: Path, augmentation: str) -> None:
    out = tmp_path / "pictures" / "views.png"
    words = ["views", str(photos), "--augmentation", augmentation, "--images", "2", "--count", "3", "--out", str(out)]
    assert main(words) == 0
    with Image.open(out) as picture:
        assert picture.width > 4 * 64
    again = tmp_path / "again.png"
    assert main([*words[:-1], str(again)]) == 0
    assert again.read_bytes() == out.read_bytes(), "the same seed draws the same views"
    assert main([*words[:-1], str(again), "--seed", "1"]) == 0
    assert again.read_bytes() != out.read_bytes()


def test_a_sweep_of_the_digits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "sweep.png"
    assert main(["views", "--augmentation", "rand-augment", "--sweep", "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"rand-augment: {out}\n"
    assert out.stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--augmentation", "sim"], "--augmentation must be one of "),
        (["--count", "0"], "--images and --count must be at least 1, got 6 and 0."),
        (["--count", "1000000000000"], "must give at most 5,000 pictures, got 6 images with 1,000,000,000,000 views"),
        (["--images", "2", "--count", "100000"], "must give at most 5,000 pictures, got 2 images with 100,000 views"),
        (["--images", "9" * 30], "must give at most 5,000 pictures, got 999,"),
        (["--views.rand_augment_magnitude", "11"], "magnitude"),
        (["nowhere"], "There is no folder and no data set called 'nowhere'"),
        (["--out", "picture.jpg"], "--out must end in .png, got 'picture.jpg'."),
        (["--augmentation", "crop-flip", "--sweep"], "must have a magnitude to sweep"),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], words: list[str], sentence: str) -> None:
    assert main(["views", *words]) == 2
    assert sentence in capsys.readouterr().err
