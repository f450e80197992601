"""Measured speed, and how the parts of a step add up."""

import pytest
import torch
from torch import Tensor

from supcon.data import DataConfig, load_data
from supcon.encoder import Encoder, make_encoder
from supcon.jobs.planning import measure_speed
from supcon.jobs.planning.measure_speed import ViewSpeed, measure_encoder, measure_views
from supcon.stages import HardwareConfig
from supcon.views import ViewMaker


def small(image_size: int = 32) -> Encoder:
    return make_encoder("small-resnet", channels=3, image_size=image_size, mean=(0.5,) * 3, std=(0.2,) * 3, width=8)


def test_a_measurement_leaves_the_encoder_as_it_was() -> None:
    encoder = small()
    before = {name: value.clone() for name, value in encoder.state_dict().items()}
    speed = measure_encoder(encoder, 3, 32, HardwareConfig(device="cpu"), rows=20)
    assert speed.train > 0
    assert speed.encode > 0
    assert all(value.equal(before[name]) for name, value in encoder.state_dict().items())
    assert all(parameter.grad is None for parameter in encoder.parameters())


def test_a_gpu_works_beside_the_workers() -> None:
    speed = ViewSpeed(in_workers=2.0, in_step=1.0)
    assert speed.with_training(3.0, gpu=False) == 6
    assert speed.with_training(3.0, gpu=True) == 4


def test_views_of_the_step_are_timed_on_the_device_of_the_training(monkeypatch: pytest.MonkeyPatch) -> None:
    devices, waited = [], []

    class Maker(ViewMaker):
        def __call__(self, batch: Tensor, *_: object) -> Tensor:
            devices.append(batch.device.type)
            return batch.unsqueeze(1)

    def now(device: torch.device) -> float:
        waited.append(device.type)
        return 1.0e9

    monkeypatch.setattr(measure_speed, "_now", now)
    maker = Maker(count=1, in_loader=None, on_batch=None)
    speed = measure_views(maker, load_data(DataConfig(spec="digits")).train, torch.device("meta"))
    assert set(devices) == set(waited) == {"meta"}
    assert speed.in_step > speed.in_workers


@pytest.mark.parametrize(
    ("waiting", "counts"),
    [
        (0.6, [16, 64, 200]),  # the step waits: more rows cost nothing, and a row is cheaper each time
        (0.0, [16, 64]),  # 16 rows take 0.32 seconds, and 64 four times that
        (3.0, [16]),  # too long for another
    ],
)
def test_a_step_that_mostly_waits_is_measured_on_more_rows(
    monkeypatch: pytest.MonkeyPatch, waiting: float, counts: list[int]
) -> None:
    seen: list[int] = []

    def step(_: object, images: Tensor, **__: object) -> float:
        seen.append(len(images))
        return waiting + len(images) * (0.001 if waiting else 0.02)

    monkeypatch.setattr(measure_speed, "_train_step", step)
    speed = measure_encoder(small(8), 3, 8, HardwareConfig(device="cpu"), rows=200)
    assert list(dict.fromkeys(seen)) == counts
    assert speed.train == pytest.approx((waiting + counts[-1] * (0.001 if waiting else 0.02)) / counts[-1])
