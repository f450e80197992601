"""The estimated time of a transfer."""

from dataclasses import replace

import pytest
import torch

from supcon.data import Split
from supcon.encoder import make_encoder
from supcon.jobs.planning.faster import Alternative
from supcon.jobs.planning.measure_speed import EncoderSpeed
from supcon.jobs.transfer_learning import transfer_time
from supcon.jobs.transfer_learning.config import TransferConfig
from supcon.jobs.transfer_learning.transfer_task import Task
from supcon.jobs.transfer_learning.transfer_time import say_time, transfer_seconds


@pytest.fixture(autouse=True)
def no_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds of an evaluation in a fit: none, where a test does not say otherwise."""
    monkeypatch.setattr(transfer_time, "_evaluation_seconds", lambda *_: 0.0)


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
    assert "Faster alternatives" in (said := capsys.readouterr().err)
    assert "--grid small --steps 50" in said


def options(config: TransferConfig, monkeypatch: pytest.MonkeyPatch, image_size: int = 8) -> dict[str, float]:
    """What `say_time` offers, and the seconds."""
    found: list[Alternative] = []
    monkeypatch.setattr(transfer_time, "say_faster", found.extend)
    encoder = make_encoder("small-resnet", channels=3, image_size=8, mean=(0.5,) * 3, std=(0.2,) * 3, width=4)
    say_time(encoder, replace(some_task(), image_size=image_size), config)
    return {one.options: one.seconds for one in found}


def test_only_what_is_not_chosen_yet_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def measure(_: object, __: object, size: int, *___: object) -> EncoderSpeed:
        sizes.append(size)
        return EncoderSpeed(train=0.01 * size / 224, encode=0)

    monkeypatch.setattr(transfer_time, "measure_encoder", measure)
    config = TransferConfig(batch_size=100)
    found = options(config, monkeypatch, 224)
    assert list(found) == ["--protocol linear", "--grid small --steps 200", "--grid small", "--image-size 128"]
    assert found["--grid small --steps 200"] == 4 * 200 * 100 * 0.01
    assert found["--image-size 128"] == pytest.approx(57 * 20_000 * 100 * 0.01 * 128 / 224)
    assert sizes == [224, 128]
    small = TransferConfig(batch_size=100, grid="small")
    assert list(options(small, monkeypatch)) == ["--protocol linear", "--steps 5000"]
    few = replace(config, steps=50)
    assert list(options(few, monkeypatch, 224)) == ["--protocol linear", "--grid small", "--image-size 128"]


def test_the_fits_of_the_linear_protocol_take_time_too(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = make_encoder("small-resnet", channels=3, image_size=8, mean=(0.5,) * 3, std=(0.2,) * 3, width=4)
    monkeypatch.setattr(transfer_time, "measure_encoder", lambda *_: EncoderSpeed(train=0.5, encode=0.25))
    monkeypatch.setattr(transfer_time, "_evaluation_seconds", lambda *_: 0.01)
    linear = TransferConfig(protocol="linear")
    fits = 46 * transfer_time._EVALUATIONS * 0.01
    assert transfer_seconds(encoder, some_task(), linear) == pytest.approx(130 * 0.25 + fits)
    monkeypatch.undo()
    assert 0 < transfer_time._evaluation_seconds(encoder, some_task()) < 1


def test_what_is_not_faster_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer_time, "measure_encoder", lambda *_: EncoderSpeed(train=0.01, encode=0))
    assert "--image-size 128" not in options(TransferConfig(), monkeypatch, 224), "a step takes as long as before"
