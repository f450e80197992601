"""Trainings that cannot go well: numbers that are none, and too little memory."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from references.tiny_run import tiny_images, train_words
from supcon.cli.main import main
from supcon.stages.pretrain import Pretrain


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_images(tmp_path_factory.mktemp("failed") / "images")


def is_finite(checkpoint: Path) -> bool:
    weights = torch.load(checkpoint, weights_only=True)["state_dict"].values()
    return all(bool(value.isfinite().all()) for value in weights if value.is_floating_point())


def test_a_loss_that_is_nan_is_noticed_at_its_step_and_the_last_good_state_is_kept(
    images: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = Pretrain.training_step

    def step(self: Pretrain, *batch: object) -> torch.Tensor:
        loss: torch.Tensor = real(self, *batch)  # type: ignore[arg-type]
        return loss * float("nan") if self.global_step == 5 else loss

    monkeypatch.setattr(Pretrain, "training_step", step)
    assert main([*train_words(images, tmp_path / "run"), "--epochs", "6"]) == 1
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert "became nan at step" in said
    assert "The checkpoint of epoch 2, the last good one, is kept in" in said
    assert is_finite(tmp_path / "run" / "stage1" / "checkpoints" / "last.ckpt")


def test_a_learning_rate_of_a_million(images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--stage1.optimizer.lr", "1e6", "--stage1.optimizer.warmup_epochs", "0", "--epochs", "40"]
    code = main([*train_words(images, tmp_path / "run"), *words])
    said = capsys.readouterr().err.strip().splitlines()[-1]
    last = tmp_path / "run" / "stage1" / "checkpoints" / "last.ckpt"
    assert not last.exists() or is_finite(last)
    if code:  # a normalized network may survive it
        assert "learning rate is probably too high" in said or "collapsed" in said


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
def test_out_of_memory_names_what_to_lower(images: Path, tmp_path: Path) -> None:
    program = (
        "import resource, sys, torch, supcon.jobs.train_run\n"
        "from supcon.cli.main import main\n"
        "from supcon.stages.pretrain import Pretrain\n"
        "real = Pretrain.training_step\n"
        "def step(self, *batch):\n"
        "    torch.empty(1 << 45, dtype=torch.uint8)\n"
        "Pretrain.training_step = step\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *train_words(images, tmp_path / "run")],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 1, done.stderr
    assert "There is not enough memory for a step of this size; with --micro-batch 2" in done.stderr
    assert "Traceback" not in done.stderr
