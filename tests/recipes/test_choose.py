import pytest

from supcon.recipes import choose_recipe


@pytest.mark.parametrize(
    ("images", "side", "recipe", "why"),
    [
        (245, 224, "photos", "are few, so an encoder with ImageNet weights is fine-tuned; --recipe folder"),
        (49_999, 64, "photos", "are few"),
        (50_000, 64, "folder", "50,000 training images of 64 pixels are enough to train from scratch"),
        (245, 63, "folder", "are too small for the pretrained encoder of photos (it needs at least 64 pixels)"),
    ],
)
def test_number_and_size_of_images_decide(images: int, side: int, recipe: str, why: str) -> None:
    choice = choose_recipe(images, side)
    assert choice.recipe == recipe
    assert choice.reason.startswith(f"Recipe {recipe}: ")
    assert why in choice.reason
