"""The Fashion-MNIST recipes have the values of others."""

from dataclasses import replace

import pytest

from supcon.recipes import find_recipe


@pytest.mark.parametrize("variant", ["", "-simclr", "-cross-entropy"])
@pytest.mark.parametrize(("name", "like"), [("fashion-mnist", "folder"), ("fashion-mnist-small", "cifar10-small")])
def test_only_name_and_data_differ(name: str, like: str, variant: str) -> None:
    recipe, other = find_recipe(name + variant), find_recipe(like + variant)
    assert recipe == replace(other, name=name + variant, data=recipe.data)
    assert recipe.data.spec == "fashion-mnist"
