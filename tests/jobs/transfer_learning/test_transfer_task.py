"""What a transfer works on, and how long it says it will take."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torchvision.transforms.v2.functional import center_crop, pil_to_tensor

from supcon.data import DataConfig
from supcon.jobs.transfer_learning.transfer_task import load_task


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root, random = tmp_path_factory.mktemp("wide"), np.random.default_rng(0)
    for split in ("train", "val", "test"):
        for name in ("one", "two"):
            (root / split / name).mkdir(parents=True)
            for number in range(4):
                pixels = random.integers(0, 256, (50, 80, 3), dtype=np.uint8)
                Image.fromarray(pixels).save(root / split / name / f"{number}.png")
    return root


def test_the_linear_protocol_resizes_bicubically_to_the_encoders_size(photographs: Path) -> None:
    task = load_task(DataConfig(spec=str(photographs), image_size=28), 0, "linear")
    with Image.open(photographs / "test" / "one" / "0.png") as image:
        resized = pil_to_tensor(image.resize((45, 28), Image.Resampling.BICUBIC))
    assert task.test.images.shape == (8, 3, 28, 28)
    assert torch.equal(task.test.images[:1][0], center_crop(resized, [28, 28]))


def test_fine_tuning_crops_from_the_whole_photograph(photographs: Path) -> None:
    task = load_task(DataConfig(spec=str(photographs), image_size=28), 0)
    assert task.train.shape is None
    assert task.train.whole(torch.tensor([0]))[0].shape == (3, 32, 51)


def test_the_fingerprint_changes_with_the_images_and_their_labels(photographs: Path, tmp_path: Path) -> None:
    def fingerprint(root: Path) -> str:
        return load_task(DataConfig(spec=str(root), image_size=28), 0).fingerprint

    first = fingerprint(photographs)
    assert fingerprint(photographs) == first
    copied = Path(shutil.copytree(photographs, tmp_path / photographs.name))
    second = fingerprint(copied)
    assert second != first, "other files of the same names"
    (copied / "train" / "one" / "0.png").rename(copied / "train" / "two" / "corrected.png")
    third = fingerprint(copied)
    assert third != second, "a corrected label"
    shutil.copy(copied / "train" / "two" / "1.png", copied / "train" / "two" / "0.png")
    assert fingerprint(copied) != third, "a replaced image"
