"""The recipes that fine-tune an ImageNet encoder."""

from dataclasses import replace

import pytest

from supcon.recipes import find_recipe


def test_the_encoder_is_pretrained_and_only_its_last_layers_are_trained() -> None:
    recipe = find_recipe("photos")
    assert recipe.encoder.pretrained is True
    assert recipe.stage1.frozen_layers > 0
    assert recipe.stage1.frozen_statistics
    assert recipe.stage2.cached
    assert recipe.data.image_size == 224


def test_weights_are_mixed_only_where_a_stage_2_follows() -> None:
    assert find_recipe("photos").stage1.pretrained_share == 0.5
    assert find_recipe("photos-cross-entropy").stage1.pretrained_share == 0


@pytest.mark.parametrize("variant", ["", "-simclr", "-cross-entropy"])
def test_small_photographs_are_enlarged_and_nothing_else_differs(variant: str) -> None:
    small, photos = find_recipe(f"small-photos{variant}"), find_recipe(f"photos{variant}")
    assert small == replace(photos, name=small.name, data=replace(photos.data, image_size=96))
