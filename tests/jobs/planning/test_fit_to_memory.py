"""The micro-batch that fits into memory."""

from dataclasses import replace

import pytest

from supcon.data import ImageData, decode_listed, list_data
from supcon.encoder import make_encoder
from supcon.jobs.planning.activation_memory import activation_bytes
from supcon.jobs.planning.fit_to_memory import fit_to_memory
from supcon.recipes import Recipe, change_recipe, find_recipe


@pytest.fixture(scope="module")
def digits() -> tuple[Recipe, ImageData]:
    recipe = change_recipe(find_recipe("digits"), {"encoder.width": 8, "device": "cpu"})
    return recipe, decode_listed(list_data(recipe.data))


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


def test_weights_that_fill_the_memory_leave_the_smallest_micro_batch(
    digits: tuple[Recipe, ImageData], monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe, data = digits
    encoder = make_encoder("small-resnet", channels=1, image_size=8, mean=data.mean, std=data.std, width=8)
    monkeypatch.setattr(
        "supcon.jobs.planning.fit_to_memory.weight_bytes", lambda _: 200 * activation_bytes(encoder, 1, 8)
    )
    monkeypatch.setattr("supcon.jobs.planning.fit_to_memory.available_memory", lambda: 0)
    assert fit_to_memory(recipe, data, encoder)[0].stage1.micro_batch == 4
