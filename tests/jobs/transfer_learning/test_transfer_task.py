"""What a transfer works on, and how long it says it will take."""

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torchvision.transforms.v2.functional import center_crop, pil_to_tensor

from supcon.data import DataConfig, Split
from supcon.encoder import make_encoder
from supcon.jobs.planning.measure_speed import EncoderSpeed
from supcon.jobs.transfer_learning import transfer_time
from supcon.jobs.transfer_learning.config import TransferConfig
from supcon.jobs.transfer_learning.transfer_task import Task, load_task
from supcon.jobs.transfer_learning.transfer_time import say_time, transfer_seconds


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


def some_task() -> Task:
    def split(images: int) -> Split:
        return Split(
            images=torch.zeros(images, 3, 8, 8, dtype=torch.uint8), labels=torch.zeros(images, dtype=torch.int64)
        )

    return Task(
        name="x", classes=2, train=split(100), validation=split(10), test=split(20), image_size=8, metric="top1"
    )


def test_the_time_is_that_of_all_candidates_and_long_ones_say_what_is_shorter(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    encoder = make_encoder("small-resnet", channels=3, image_size=8, mean=(0.5,) * 3, std=(0.2,) * 3, width=4)
    monkeypatch.setattr(transfer_time, "measure_encoder", lambda *_: EncoderSpeed(train=0.5, encode=0.25))
    config = TransferConfig(steps=7, batch_size=40, grid="small")
    assert transfer_seconds(encoder, some_task(), config) == 4 * 7 * 40 * 0.5 + (3 * 10 + 20) * 0.25
    linear = TransferConfig(protocol="linear")
    assert transfer_seconds(encoder, some_task(), linear) == 130 * 0.25
    say_time(encoder, some_task(), config)
    assert "about 10 minutes" in (said := capsys.readouterr().err)
    assert "Shorter" not in said
    say_time(encoder, some_task(), TransferConfig())
    assert "Shorter: --grid small" in capsys.readouterr().err
