"""A folder of photographs without any option but those that make it quick: recipe photos, from end to end."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_sample_images

from references.small_named_sets import clothes
from supcon.cli.main import main
from supcon.data import DataConfig
from supcon.jobs import fitting_recipe
from supcon.recipes import Recipe
from supcon.runs import Run
from supcon.stages import StageEstimate


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
    assert "Recipe photos: 46 training images of 64 pixels are few" in told.err
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


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    return cut_squares(tmp_path / "small", 10, 32)


def test_few_small_images_are_fine_tuned_enlarged(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fitting_recipe(DataConfig(spec=str(small))) == "small-photos"
    said = capsys.readouterr().err
    assert "Recipe small-photos: 14 training images of 32 pixels are few" in said, "4 for test and 2 for validation"


def test_many_small_images_train_a_small_network_on_a_cpu_and_a_resnet_on_a_gpu(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = DataConfig(spec=str(small))
    monkeypatch.setattr("supcon.recipes.choose.MOST_SMALL_IMAGES", 10)
    assert fitting_recipe(data) == fitting_recipe(data, ["stage1.epochs"]) == "folder-small"
    assert fitting_recipe(data, {"data.per_class": 4}) == "small-photos", "8 training images"
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    assert fitting_recipe(data) == fitting_recipe(data, {"device": "gpu"}) == "folder"
    for name in ("device", "hardware.device"):
        assert fitting_recipe(data, {name: "cpu"}) == "folder-small"


def test_a_known_name_has_the_recipe_of_its_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clothes(tmp_path)
    data = DataConfig(spec="fashion-mnist", root=str(tmp_path))
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert fitting_recipe(data) == "small-photos", "20 images are few, as in a folder"
    monkeypatch.setattr("supcon.recipes.choose.MOST_SMALL_IMAGES", 10)
    capsys.readouterr()
    assert fitting_recipe(data) == "fashion-mnist-small"
    said = " ".join(capsys.readouterr().err.split())
    assert said.startswith(
        "Recipe fashion-mnist-small: 10 training images of 28 pixels are enough to train from scratch"
    )
    assert (
        "on a CPU a small network is trained; --recipe fashion-mnist trains a ResNet-18, which takes far longer" in said
    )
    assert fitting_recipe(data, ["encoder.name"]) == "fashion-mnist"
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    assert fitting_recipe(data) == "fashion-mnist"
    assert capsys.readouterr().err == ""
    assert fitting_recipe(data, {"device": "cpu"}) == "fashion-mnist-small"


def test_the_options_of_the_command_reach_the_choice(
    small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chosen = []

    def dry_run(recipe: Recipe, _: object) -> list[StageEstimate]:
        chosen.append(recipe.name)
        return []

    monkeypatch.setattr("supcon.jobs.dry_run", dry_run)
    monkeypatch.setattr("supcon.recipes.choose.MOST_SMALL_IMAGES", 10)
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    config = tmp_path / "mine.yaml"
    config.write_text("hardware:\n  device: cpu\n")
    for more in ([], ["--device", "cpu"], ["--config", str(config)], ["--data.per_class", "4"]):
        assert main(["train", str(small), "--method", "cross-entropy", "--dry-run", *more]) == 0
    families = ("folder", "folder-small", "folder-small", "small-photos")
    assert chosen == [f"{name}-cross-entropy" for name in families]


def test_images_that_cannot_be_split_are_counted_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fitting_recipe(DataConfig(spec=str(cut_squares(tmp_path / "few", 1, 32)))) == "small-photos"
    assert "2 training images" in capsys.readouterr().err


def test_whoever_chooses_an_encoder_gets_no_pretrained_one(photographs: Path) -> None:
    data = DataConfig(spec=str(photographs))
    assert fitting_recipe(data, ["encoder.name"]) == "folder"
    assert fitting_recipe(data, ["stage1.epochs"]) == "photos"
    assert fitting_recipe(DataConfig(spec="digits")) == "digits"
