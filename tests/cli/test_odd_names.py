"""Class folders with any name a file system takes come through from the folder to the page."""

import csv
import html
from pathlib import Path

import numpy as np
from PIL import Image

import supcon
from supcon.cli.main import main
from supcon.runs import Run

NAMES = sorted([".dotted", "two words", "ünï ☂", '<b>"bold" & so', "it's, well", "${x} {{ y }}"])


def test_odd_class_names_come_through_everywhere(tmp_path: Path) -> None:
    random, root = np.random.default_rng(0), tmp_path / "odd <i>folder"
    for label, name in enumerate(NAMES):
        (root / name).mkdir(parents=True)
        for index in range(10):
            pixels = random.normal(40 * label + 20, 10, size=(12, 12, 3)).clip(0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(root / name / f"{index}.png")
    small = ["--recipe", "folder", "--encoder.name", "small-resnet", "--encoder.width", "8", "--stage2.epochs", "1"]
    words = [*small, "--epochs", "1", "--batch-size", "12", "--device", "cpu", "--out", str(tmp_path / "run")]
    assert main(["train", str(root), *words]) == 0
    run, model = Run(tmp_path / "run"), supcon.load(tmp_path / "run")
    assert list(model.card.class_names) == NAMES
    assert set(model.predict([root / name / "0.png" for name in NAMES])) <= set(NAMES)
    with run.splits_file.open(newline="", encoding="utf-8") as file:
        assert {row["label"] for row in csv.DictReader(file)} == set(NAMES)
    page = run.report_file.read_text(encoding="utf-8")
    assert '<b>"bold"' not in page
    assert html.escape("two words") in page
    assert main(["evaluate", str(run.path), "--on", str(root)]) == 0
