"""Memory counted beforehand against memory measured; time, and what would be faster, against arithmetic."""

import subprocess
import sys
from dataclasses import replace

import pytest

from supcon.data import ImageData, decode_listed, list_data
from supcon.encoder import Encoder, make_encoder
from supcon.jobs.planning import faster as faster_module
from supcon.jobs.planning import time_estimate
from supcon.jobs.planning.activation_memory import activation_bytes
from supcon.jobs.planning.faster import faster
from supcon.jobs.planning.fit_to_memory import fit_to_memory
from supcon.jobs.planning.measure_speed import EncoderSpeed, ViewSpeed, measure_encoder
from supcon.jobs.planning.time_estimate import TimeEstimate, estimate_time
from supcon.recipes import Recipe, change_recipe, find_recipe
from supcon.stages import HardwareConfig

PEAK = """
import torch
from supcon.base.memory import peak_memory, process_memory
from supcon.encoder import make_encoder
encoder = make_encoder("resnet18", channels=3, image_size=64, mean=(0.5,) * 3, std=(0.2,) * 3)
images = torch.randint(256, (96, 3, 64, 64), dtype=torch.uint8)
encoder(images[:2]).sum().backward()  # libraries, gradients
before = process_memory()
for _ in range(2):
    encoder(images).sum().backward()
print((peak_memory() - before) / len(images))
"""


def small(image_size: int = 32) -> Encoder:
    return make_encoder("small-resnet", channels=3, image_size=image_size, mean=(0.5,) * 3, std=(0.2,) * 3, width=8)


@pytest.fixture(scope="module")
def digits() -> tuple[Recipe, ImageData]:
    recipe = change_recipe(find_recipe("digits"), {"encoder.width": 8, "device": "cpu"})
    return recipe, decode_listed(list_data(recipe.data))


def test_memory_is_counted_as_it_is_then_taken() -> None:
    encoder = make_encoder("resnet18", channels=3, image_size=64, mean=(0.5,) * 3, std=(0.2,) * 3)
    done = subprocess.run([sys.executable, "-c", PEAK], capture_output=True, text=True, check=True)
    taken = float(done.stdout)
    assert 0.75 * taken < activation_bytes(encoder, 3, 64) < 1.6 * taken


def test_memory_grows_with_the_area_and_halves_with_the_precision() -> None:
    encoder = small()
    whole = activation_bytes(encoder, 3, 32)
    assert activation_bytes(encoder, 3, 64) == pytest.approx(4 * whole, rel=0.05)
    assert activation_bytes(encoder, 3, 32, half=True) == pytest.approx(whole / 2, rel=0.05)


def test_a_batch_that_does_not_fit_goes_through_in_parts(
    digits: tuple[Recipe, ImageData], monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe, data = digits
    encoder = make_encoder("small-resnet", channels=1, image_size=8, mean=data.mean, std=data.std, width=8)
    row = activation_bytes(encoder, 1, 8)
    monkeypatch.setattr("supcon.jobs.planning.fit_to_memory.weight_bytes", lambda _: 0)
    room = "supcon.jobs.planning.fit_to_memory.available_memory"
    monkeypatch.setattr(room, lambda: 1e12)
    assert fit_to_memory(recipe, data, encoder)[0].stage1.micro_batch is None
    monkeypatch.setattr(room, lambda: 2 * 100 * 2 * row)  # half of it has room for 100 images in two views
    fitted, memory = fit_to_memory(recipe, data, encoder)
    assert fitted.stage1.micro_batch == 64
    assert memory.needed * 1e9 > 2 * 64 * row
    assert fit_to_memory(recipe, data, encoder, {"stage1.micro_batch"})[0].stage1.micro_batch is None
    shared = replace(recipe, hardware=replace(recipe.hardware, devices=2))
    monkeypatch.setattr(room, lambda: 2 * 30 * 2 * row)
    assert fit_to_memory(shared, data, encoder)[0].stage1.micro_batch is None


def test_a_measurement_leaves_the_encoder_as_it_was() -> None:
    encoder = small()
    before = {name: value.clone() for name, value in encoder.state_dict().items()}
    speed = measure_encoder(encoder, 3, 32, HardwareConfig(device="cpu"), rows=20)
    assert speed.train > 0
    assert speed.encode > 0
    assert all(value.equal(before[name]) for name, value in encoder.state_dict().items())
    assert all(parameter.grad is None for parameter in encoder.parameters())


def test_the_time_is_that_of_all_steps(digits: tuple[Recipe, ImageData], monkeypatch: pytest.MonkeyPatch) -> None:
    recipe, data = digits
    monkeypatch.setattr(time_estimate, "measure_encoder", lambda *_: EncoderSpeed(train=0.5, encode=0.125))
    monkeypatch.setattr(time_estimate, "measure_views", lambda *_: ViewSpeed(in_workers=0.25, in_step=0.0))
    found = estimate_time(recipe, data, small())
    steps, probes = 60 * (1257 // 128), 12 * (1257 + 180)
    assert found.stage1 == steps * 256 * 0.75 + probes * 0.125
    assert found.stage2 == 20 * (1257 // recipe.stage2.batch_size) * recipe.stage2.batch_size * 0.375
    assert found.evaluation == 1797 * 0.125
    cached = change_recipe(recipe, {"stage2.cached": True, "stage1.micro_batch": 16, "stage1.knn_every": 0})
    found = estimate_time(cached, data, small())
    assert found.stage2 == 1257 * 0.125
    assert found.stage1 == pytest.approx(steps * 256 * (0.5 * 4 / 3 + 0.25))


def test_a_gpu_works_beside_the_workers() -> None:
    speed = ViewSpeed(in_workers=2.0, in_step=1.0)
    assert speed.with_training(3.0, gpu=False) == 6
    assert speed.with_training(3.0, gpu=True) == 4


def test_a_long_run_is_told_what_would_be_faster(
    digits: tuple[Recipe, ImageData], monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe, data = digits[0], replace(digits[1], image_size=224)
    smaller, cached = (TimeEstimate(stage1=a, stage2=b, evaluation=1) for a, b in ((1000, 10), (4000, 5)))
    estimates = iter([smaller, cached])
    monkeypatch.setattr(faster_module, "estimate_time", lambda *_: next(estimates))
    found = faster(recipe, data, small(), TimeEstimate(stage1=4000, stage2=900, evaluation=100))
    assert [(one.options, one.seconds) for one in found] == [
        ("--data.image_size 128", 1011),
        ("--epochs 15", 2000),
        ("--stage2.cached true", 4105),
    ]
    assert faster(recipe, data, small(), TimeEstimate(stage1=1700, stage2=50, evaluation=50)) == []
