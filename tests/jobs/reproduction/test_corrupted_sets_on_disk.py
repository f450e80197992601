"""Corrupted test images that are made once."""

from pathlib import Path

import numpy as np
import pytest
import torch

import supcon
from supcon.data.image_data import ImageData
from supcon.evaluation import corrupt
from supcon.jobs.reproduction import corrupted_sets_on_disk
from supcon.jobs.reproduction.corrupted_sets_on_disk import corrupted_set, measure_corrupted
from supcon.jobs.run_data import load_run_data
from supcon.runs import Run


@pytest.fixture(scope="module")
def digits(tiny_runs: dict[str, Path]) -> ImageData:
    return load_run_data(Run(tiny_runs["supcon"]))


def test_a_set_is_laid_out_like_cifar_10_c_and_made_once(
    digits: ImageData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = corrupted_set(digits, ["brightness"], tmp_path / "set")
    images, labels = np.load(folder / "brightness.npy"), np.load(folder / "labels.npy")
    count = len(digits.test)
    assert images.shape == (5 * count, 8, 8, 1)
    assert labels.tolist() == digits.test.labels.tolist() * 5
    expected = corrupt(digits.test.images[:], "brightness", 2)
    assert torch.equal(torch.from_numpy(images[count : 2 * count]).permute(0, 3, 1, 2), expected)
    monkeypatch.setattr(corrupted_sets_on_disk, "corrupted_batches", lambda *_: pytest.fail("made again"))
    assert corrupted_set(digits, ["brightness"], tmp_path / "set") == folder


def test_a_large_set_is_thinned_to_the_storage(digits: ImageData, tmp_path: Path) -> None:
    count = len(digits.test)
    whole = 5 * count * 8 * 8 / 1e9
    folder = corrupted_set(digits, ["brightness"], tmp_path / "half", gigabytes=0.5 * whole)
    images, labels = np.load(folder / "brightness.npy"), np.load(folder / "labels.npy")
    assert labels.tolist() == digits.test.labels[::2].tolist() * 5
    assert len(images) == len(labels)
    expected = corrupt(digits.test.images[::2], "brightness", 1)
    assert torch.equal(torch.from_numpy(images[: len(labels) // 5]).permute(0, 3, 1, 2), expected)
    all_of_it = corrupted_set(digits, ["brightness"], tmp_path / "whole", gigabytes=whole)
    assert len(np.load(all_of_it / "labels.npy")) == 5 * count


def test_measures_and_right_images_agree(digits: ImageData, tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    model = supcon.load(tiny_runs["supcon"])
    folder = corrupted_set(digits, ["brightness"], tmp_path)
    measures, right = measure_corrupted(model, folder, ["brightness"])
    accuracies = [measures[f"corruptions/brightness/{severity}/top1"] for severity in range(1, 6)]
    assert right.sum() / len(right) / 5 == pytest.approx(np.mean(accuracies))
    assert right.max() <= 5
