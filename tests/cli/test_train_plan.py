"""What `supcon train` says before it trains, and how a run goes on."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file

import supcon
from supcon.cli.main import main
from supcon.runs import Run

FAST = ["--encoder.width", "8", "--stage1.knn_every", "0", "--device", "cpu", "--stage2.epochs", "1"]
CONSTANT = ["--stage1.optimizer.schedule", "constant", "--stage1.optimizer.warmup_epochs", "0"]


@pytest.fixture(scope="module")
def insects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train and val folders with oblong photographs, no test folder."""
    root, random = tmp_path_factory.mktemp("data") / "insects", np.random.default_rng(0)
    for split, count in (("train", 20), ("val", 8)):
        for name, level in (("ants", 60), ("bees", 190)):
            (root / split / name).mkdir(parents=True)
            for number in range(count):
                pixels = random.normal(level, 20, size=(30, 45, 3)).clip(0, 255).astype(np.uint8)
                Image.fromarray(pixels).save(root / split / name / f"{name} {number}.png")
    return root


@pytest.fixture(scope="module")
def insects_run(insects: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "insects"
    words = ["train", str(insects), "--recipe", "folder", "--encoder.name", "small-resnet", "--epochs", "1"]
    assert main([*words, "--out", str(out), *FAST]) == 0
    return out


def test_the_first_command_on_a_small_folder_runs_and_says_what_it_does(
    insects: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["train", str(insects), "--recipe", "folder", "--encoder.name", "small-resnet", "--epochs", "1"]
    assert main([*words, "--out", str(tmp_path / "run"), *FAST]) == 0
    said = capsys.readouterr().err
    assert "insects: 36 train, 4 held out, 16 validation images of 2 classes" in said
    lines = [line.split() for line in said.splitlines()]
    assert ["class", "train", "held", "out", "validation"] in lines
    assert ["ants", "18", "2", "8"] in lines
    assert "8 images, 2 views of each; the recipe's 256 are too many for 36" in said
    for name in ("encoder", "images", "stage 1", "stage 2", "in all", "memory", "run"):
        assert any(line.startswith(name) for line in said.splitlines())
    recipe = Run(tmp_path / "run").recipe
    assert recipe["stage1"]["batch_size"] == recipe["stage2"]["batch_size"] == 8
    assert (recipe["data"]["image_size"], recipe["data"]["hold"]) == (30, "memory")


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


def test_a_long_run_starts_with_what_would_be_faster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("supcon.jobs.planning.faster.LONG", -1)
    assert main(["train", "--epochs", "4", "--out", str(tmp_path / "run"), *FAST]) == 0
    said = capsys.readouterr().err
    assert "Faster alternatives" in said
    assert "--epochs 1" in said


def test_ctrl_c_names_the_run(tmp_path: Path) -> None:
    words = ["train", "--epochs", "500", "--out", "a run", *FAST]
    process = subprocess.Popen(
        [sys.executable, "-m", "supcon", *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True, env={**os.environ}
    )
    deadline = time.monotonic() + 120
    while not (tmp_path / "a run" / "stage1" / "metrics.csv").exists() and time.monotonic() < deadline:
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    last = said.splitlines()[-1]
    assert last == "supcon: Stopped. `supcon train --resume --out 'a run'` continues from the last checkpoint."


def test_a_run_can_go_on_further_where_the_schedule_allows(tmp_path: Path) -> None:
    words = ["train", *FAST, *CONSTANT]
    assert main([*words, "--epochs", "1", "--out", str(tmp_path / "longer")]) == 0
    assert main(["train", "--resume", "--out", str(tmp_path / "longer"), "--epochs", "2"]) == 0
    assert main([*words, "--epochs", "2", "--out", str(tmp_path / "at once")]) == 0
    first, second = (load_file(tmp_path / name / "model.safetensors") for name in ("longer", "at once"))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert Run(tmp_path / "longer").recipe["stage1"]["epochs"] == 2


def test_a_run_whose_schedule_has_ended_says_why_not(
    tiny_runs: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before = (tiny_runs["supcon"] / "evaluation.json").read_bytes()
    assert main(["train", "--resume", "--out", str(tiny_runs["supcon"]), "--epochs", "5"]) == 2
    assert "its learning rate falls along a cosine that ends with epoch 2" in capsys.readouterr().err
    assert main(["train", "--resume", "--out", str(tiny_runs["supcon"]), "--seed", "5"]) == 2
    assert "leave that option out" in capsys.readouterr().err
    assert (tiny_runs["supcon"] / "evaluation.json").read_bytes() == before


def test_the_package_shows_what_it_has() -> None:
    assert {"train", "load", "evaluate", "transfer"} <= set(dir(supcon))
