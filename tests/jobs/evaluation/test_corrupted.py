from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

import supcon
from references.refused_command import refused_command
from supcon.data.config import DataConfig
from supcon.data.image_data import ImageData
from supcon.data.load import load_data
from supcon.evaluation import top_k_accuracy


def digits() -> ImageData:
    return load_data(DataConfig())


def scores(run: Path, images: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(supcon.load(run).predict_proba(images))


def corrupted_arrays(root: Path, labels: np.ndarray, name: str = "fog") -> Path:
    """A set like CIFAR-10-C of the digits' test images, severity 5 being white."""
    test = digits().test.images[:].numpy().transpose(0, 2, 3, 1)[: len(labels)]
    root.mkdir()
    np.save(root / f"{name}.npy", np.concatenate([test] * 4 + [np.full_like(test, 255)]))
    np.save(root / "labels.npy", np.tile(labels, 5))
    return root


def test_published_arrays_are_read_as_they_are(supcon_run: Path, tmp_path: Path) -> None:
    labels = load_data(DataConfig()).test.labels[:40]
    root = corrupted_arrays(tmp_path / "digits-c", labels.numpy())
    run = supcon.evaluate(supcon_run, on=root)
    clean = top_k_accuracy(scores(supcon_run, load_data(DataConfig()).test.images[:40]), labels)
    assert [run.measures[f"corruptions/fog/{severity}/top1"] for severity in range(1, 5)] == pytest.approx([clean] * 4)
    assert run.remarks["corruptions/set"].startswith(f"published set {root}")
    white = top_k_accuracy(scores(supcon_run, torch.full((40, 1, 8, 8), 255, dtype=torch.uint8)), labels)
    assert run.measures["corruptions/fog/5/top1"] == pytest.approx(white)


def test_published_folders_are_read_as_they_are(supcon_run: Path, tmp_path: Path) -> None:
    data = load_data(DataConfig()).test
    for index in range(20):
        folder = tmp_path / "c" / "blur" / "defocus_blur" / "2" / str(int(data.labels[index]))
        folder.mkdir(parents=True, exist_ok=True)
        Image.fromarray(data.images[index, 0].numpy()).save(folder / f"{index}.png")
    run = supcon.evaluate(supcon_run, on=tmp_path / "c", severities=[2])
    expected = top_k_accuracy(scores(supcon_run, data.images[:20]), data.labels[:20])
    assert run.measures["corruptions/defocus_blur/2/top1"] == pytest.approx(expected)


@pytest.mark.parametrize("classes", ["too many", "unknown folder"])
def test_a_corrupted_set_of_other_classes(
    supcon_run: Path, tmp_path: Path, classes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if classes == "too many":
        root = corrupted_arrays(tmp_path / "c", np.arange(12))
        assert "has the class 11 but the run has 10 classes" in refused_command(
            ["evaluate", str(supcon_run), "--on", str(root)], capsys
        )
        return
    for severity in range(1, 6):
        (tmp_path / "c" / "fog" / str(severity) / "lion").mkdir(parents=True)
    said = refused_command(["evaluate", str(supcon_run), "--on", str(tmp_path / "c")], capsys)
    assert "has the class 'lion', which is not a class of the run" in said


def test_an_array_of_the_wrong_shape(supcon_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = corrupted_arrays(tmp_path / "c", np.arange(10))
    np.save(root / "fog.npy", np.zeros((50, 8, 8), dtype=np.uint8))
    assert "got uint8 of shape [50, 8, 8]" in refused_command(["evaluate", str(supcon_run), "--on", str(root)], capsys)
