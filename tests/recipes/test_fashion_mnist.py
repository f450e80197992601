"""The Fashion-MNIST recipes have the values of others."""

from dataclasses import replace

import pytest

from supcon.recipes import find_recipe


@pytest.mark.parametrize("variant", ["", "-simclr", "-cross-entropy"])
@pytest.mark.parametrize(("name", "like"), [("fashion-mnist", "folder"), ("fashion-mnist-small", "cifar10-small")])
def test_only_name_data_and_crops_differ(name: str, like: str, variant: str) -> None:
    recipe, other = find_recipe(name + variant), find_recipe(like + variant)
    own_crops = name == "fashion-mnist-small" and variant != "-simclr"
    views = replace(other.views, crop_area=(0.8, 1.0)) if own_crops else other.views
    assert recipe == replace(other, name=name + variant, data=recipe.data, views=views)
    assert recipe.data.spec == "fashion-mnist"
