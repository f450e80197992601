"""Measured speed, and how the parts of a step add up."""

from supcon.encoder import Encoder, make_encoder
from supcon.jobs.planning.measure_speed import ViewSpeed, measure_encoder
from supcon.stages import HardwareConfig


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
