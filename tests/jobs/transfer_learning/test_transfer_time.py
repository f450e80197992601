"""The estimated time of a transfer."""

import pytest
import torch

from supcon.data import Split
from supcon.encoder import make_encoder
from supcon.jobs.planning.measure_speed import EncoderSpeed
from supcon.jobs.transfer_learning import transfer_time
from supcon.jobs.transfer_learning.config import TransferConfig
from supcon.jobs.transfer_learning.transfer_task import Task
from supcon.jobs.transfer_learning.transfer_time import say_time, transfer_seconds


def some_task() -> Task:
    def split(images: int) -> Split:
        return Split(
            images=torch.zeros(images, 3, 8, 8, dtype=torch.uint8), labels=torch.zeros(images, dtype=torch.int64)
        )

    return Task(
        name="x",
        classes=2,
        train=split(100),
        validation=split(10),
        test=split(20),
        image_size=8,
        metric="top1",
        fingerprint="0f",
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
    assert "Faster" not in said
    say_time(encoder, some_task(), TransferConfig())
    assert "Faster: --grid small" in capsys.readouterr().err
