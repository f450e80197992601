"""Finished runs whose model is gone or damaged, and what `supcon train --resume` makes of them."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from references.tiny_run import tiny_images, train_words
from supcon.cli.main import main
from supcon.serving import load


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    images = tiny_images(tmp_path_factory.mktemp("lost") / "images")
    assert main(train_words(images, images.parent / "finished")) == 0
    return images.parent / "finished"


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """A finished run to damage; its accuracy is one that no evaluation gives."""
    run = tmp_path / "run"
    shutil.copytree(finished, run)
    values = json.loads((run / "evaluation.json").read_text())
    (run / "evaluation.json").write_text(json.dumps({**values, "test/top1": 0.123}))
    return run


def resume(run: Path) -> int:
    return main(["train", "--resume", "--out", str(run)])


def stored_accuracy(run: Path) -> float:
    return float(json.loads((run / "evaluation.json").read_text())["test/top1"])


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:500])


def fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("damage", [Path.unlink, cut, fifo])
def test_weights_are_written_again_from_the_checkpoints(
    run: Path, finished: Path, capsys: pytest.CaptureFixture[str], damage: Callable[[Path], object]
) -> None:
    damage(run / "model.safetensors")
    assert main(["predict", str(run), "x.png"]) == 2
    advice = f"`supcon train --resume --out {run}` writes it again from the run's checkpoints."
    assert advice in capsys.readouterr().err
    assert resume(run) == 0
    assert "model.safetensors is damaged or missing; it is written again" in " ".join(capsys.readouterr().err.split())
    assert (run / "model.safetensors").read_bytes() == (finished / "model.safetensors").read_bytes()
    assert stored_accuracy(run) == 0.123  # it is of these weights, so it stays


def test_without_the_card_the_figures_may_be_of_other_weights_and_are_measured_again(run: Path, finished: Path) -> None:
    (run / "model.json").unlink()
    assert resume(run) == 0
    assert (run / "model.json").read_bytes() == (finished / "model.json").read_bytes()
    assert stored_accuracy(run) == stored_accuracy(finished)


@pytest.mark.parametrize("stage", ["stage1", "stage2"])
def test_without_checkpoints_nothing_is_trained_again(
    run: Path, capsys: pytest.CaptureFixture[str], stage: str
) -> None:
    (run / "model.safetensors").unlink()
    shutil.rmtree(run / stage / "checkpoints")
    assert resume(run) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert f"{run / stage / 'checkpoints'}, from which it could be written again, has no checkpoint; restore" in said
    assert not (run / "model.safetensors").exists()


def test_a_folder_in_the_place_of_the_weights_is_not_removed(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / "model.safetensors").unlink()
    (run / "model.safetensors").mkdir()
    assert resume(run) == 2
    assert "model.safetensors is a folder, not a file of weights; remove it" in capsys.readouterr().err


def test_a_model_that_is_intact_stays(run: Path) -> None:
    before = (run / "model.safetensors").stat().st_mtime_ns
    assert resume(run) == 0
    assert (run / "model.safetensors").stat().st_mtime_ns == before
    assert len(load(run).classes) == 2
