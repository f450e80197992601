"""A folder of photographs without any option but those that make it quick: recipe photos, from end to end."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_sample_images

from supcon.cli.main import main
from supcon.data import DataConfig
from supcon.jobs import fitting_recipe
from supcon.runs import Run


def cut_squares(folder: Path, images: int, side: int) -> Path:
    """Squares cut from a photograph of a palace and from one of a flower, as the two classes."""
    generator = np.random.default_rng(0)
    for name, photograph in zip(("palace", "flower"), load_sample_images().images, strict=True):
        (folder / name).mkdir(parents=True)
        for number in range(images):
            top, left = (int(generator.integers(edge - 160)) for edge in photograph.shape[:2])
            square = Image.fromarray(photograph[top : top + 160, left : left + 160])
            square.resize((side, side)).save(folder / name / f"{number}.png")
    return folder


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cut_squares(tmp_path_factory.mktemp("photographs"), 32, 64)


def test_a_folder_of_photographs_is_fine_tuned_from_weights_that_are_installed(
    photographs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quick = ["--epochs", "1", "--data.image_size", "64", "--stage2.epochs", "20", "--device", "cpu"]
    assert main(["train", str(photographs), "--out", str(tmp_path / "run"), *quick]) == 0
    told = capsys.readouterr()
    assert "Recipe photos: 64 training images of 64 pixels are few" in told.err
    run = Run(tmp_path / "run")
    assert run.recipe["recipe"] == "photos"
    assert run.recipe["encoder"]["pretrained"] is True
    model = json.loads((tmp_path / "run" / "model.json").read_text())
    assert model["mean"] == [127 / 255] * 3
    assert model["std"] == [128 / 255] * 3
    known = run.measures["before/logistic_regression_top1"]
    assert known > 0.7
    assert run.measures["test/top1"] >= 0.7
    assert "Before training: logistic" in told.out
    line = "pretrained encoder, before training"
    assert line in (tmp_path / "run" / "report.md").read_text().lower()
    assert line in (tmp_path / "run" / "report.html").read_text().lower()


def test_small_images_are_trained_from_scratch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = cut_squares(tmp_path / "small", 2, 32)
    assert fitting_recipe(DataConfig(spec=str(folder))) == "folder"
    assert "Recipe folder: 4 training images of 32 pixels are too small" in capsys.readouterr().err


def test_whoever_chooses_an_encoder_gets_no_pretrained_one(photographs: Path) -> None:
    data = DataConfig(spec=str(photographs))
    assert fitting_recipe(data, ["encoder.name"]) == "folder"
    assert fitting_recipe(data, ["stage1.epochs"]) == "photos"
    assert fitting_recipe(DataConfig(spec="digits")) == "digits"
