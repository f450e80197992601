"""The time of a run from the speed of its parts."""

import pytest

from supcon.data import ImageData, decode_listed, list_data
from supcon.encoder import Encoder, make_encoder
from supcon.jobs.planning import time_estimate
from supcon.jobs.planning.measure_speed import EncoderSpeed, ViewSpeed
from supcon.jobs.planning.time_estimate import estimate_time
from supcon.recipes import Recipe, change_recipe, find_recipe


def small(image_size: int = 32) -> Encoder:
    return make_encoder("small-resnet", channels=3, image_size=image_size, mean=(0.5,) * 3, std=(0.2,) * 3, width=8)


@pytest.fixture(scope="module")
def digits() -> tuple[Recipe, ImageData]:
    recipe = change_recipe(find_recipe("digits"), {"encoder.width": 8, "device": "cpu"})
    return recipe, decode_listed(list_data(recipe.data))


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


@pytest.mark.parametrize(("micro_batch", "rows"), [(None, 64), (16, 32), (100, 64)])
def test_the_speed_is_that_of_the_rows_of_one_process(
    micro_batch: int | None, rows: int, digits: tuple[Recipe, ImageData], monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[int] = []

    def measure(encoder: Encoder, channels: int, size: int, hardware: object, rows: int, frozen: int) -> EncoderSpeed:
        measured.append(rows)
        return EncoderSpeed(train=0.5, encode=0.125)

    monkeypatch.setattr(time_estimate, "measure_encoder", measure)
    monkeypatch.setattr(time_estimate, "measure_views", lambda *_: ViewSpeed(in_workers=0.25, in_step=0.0))
    changes = {"hardware.devices": 2, "hardware.num_nodes": 2, "stage1.micro_batch": micro_batch}
    estimate_time(change_recipe(digits[0], changes), digits[1], small())
    assert measured == [rows]
