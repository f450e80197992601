from itertools import pairwise

import pytest

from supcon.recipes import RECIPES, choose_recipe, find_recipe

FEW = "are few, so an encoder with ImageNet weights is fine-tuned"


@pytest.mark.parametrize(
    ("images", "side", "on_gpu", "recipe", "why", "others"),
    [
        (245, 224, False, "photos", FEW, ["folder"]),
        (49_999, 64, False, "photos", FEW, ["folder"]),
        (50_000, 64, False, "folder", "50,000 training images of 64 pixels are enough to train from", ["photos"]),
        (450, 63, False, "small-photos", f"{FEW} on them, enlarged to 96 pixels", ["folder-small"]),
        (9_999, 16, True, "small-photos", FEW, ["folder"]),
        (10_000, 32, False, "folder-small", "10,000 training images of 32 pixels are", ["folder", "small-photos"]),
        (10_000, 32, True, "folder", "are enough to train from scratch (10,000 or more)", ["small-photos"]),
        (1_000, 15, False, "folder-small", "are too small for a pretrained encoder", ["folder"]),
        (1_000, 15, True, "folder", "(it needs at least 16 pixels)", ["folder-small"]),
    ],
)
def test_images_and_device_decide(
    images: int, side: int, on_gpu: bool, recipe: str, why: str, others: list[str]
) -> None:
    choice = choose_recipe(images, side, on_gpu=on_gpu)
    assert choice.recipe == recipe
    assert choice.reason.startswith(f"Recipe {recipe}: ")
    assert why in choice.reason
    words = choice.reason.rstrip(".").split()
    assert [after for word, after in pairwise(words) if word == "--recipe"] == others
    assert {recipe, *others} <= set(RECIPES)


@pytest.mark.parametrize(
    ("images", "on_gpu", "recipe"),
    [(54_000, False, "fashion-mnist-small"), (54_000, True, "fashion-mnist"), (500, False, "small-photos")],
)
def test_data_with_recipes_of_their_own(images: int, on_gpu: bool, recipe: str) -> None:
    choice = choose_recipe(images, 28, on_gpu=on_gpu, scratch="fashion-mnist")
    assert choice.recipe == recipe
    assert choice.reason.startswith(f"Recipe {recipe}: {images:,} training images of 28 pixels are ")
    other = {"fashion-mnist-small": "fashion-mnist", "fashion-mnist": "small-photos"}.get(recipe, "fashion-mnist-small")
    assert f"--recipe {other} " in choice.reason


def test_images_are_enlarged_to_the_size_that_is_said() -> None:
    assert f"{find_recipe('small-photos').data.image_size} pixels" in choose_recipe(450, 32).reason
