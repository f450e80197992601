"""What `supcon train` prints and stores for a folder with validation images and no test images."""

import json
from pathlib import Path

import numpy as np
import pytest

import supcon
from supcon.cli.main import main

FAST = ["--encoder.width", "8", "--stage1.knn_every", "0", "--device", "cpu", "--stage2.epochs", "1"]


@pytest.fixture(scope="module")
def insects_run(insects: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "insects"
    words = ["train", str(insects), "--recipe", "folder", "--encoder.name", "small-resnet", "--epochs", "1"]
    assert main([*words, "--out", str(out), *FAST]) == 0
    return out


def test_figures_are_called_by_the_images_they_are_of(insects_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(insects_run)]) == 0
    shown = capsys.readouterr().out
    assert "Validation accuracy" in shown
    assert "Test accuracy" not in shown
    page = (insects_run / "report.md").read_text()
    assert "16 validation images (2 classes)" in page
    assert "Validation accuracy" in page


def test_two_classes_have_no_top_5(insects_run: Path) -> None:
    measures = json.loads((insects_run / "evaluation.json").read_text())
    assert "test/top1" in measures
    assert "test/top5" not in measures


def test_the_pages_carry_file_names(insects_run: Path) -> None:
    page = (insects_run / "report.html").read_text()
    assert "val/bees/bees 3.png" in page  # on the map
    names = np.load(insects_run / "test_outputs.npz")["names"]
    assert names[0] == "val/ants/ants 0.png"


def test_the_package_shows_what_it_has() -> None:
    assert {"train", "load", "evaluate", "transfer"} <= set(dir(supcon))
