from dataclasses import FrozenInstanceError, replace

import pytest

from supcon.errors import RequestError
from supcon.recipes import Recipe, find_recipe
from supcon.stages.config import HardwareConfig, Stage1Config
from supcon.views.config import ViewsConfig


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(RequestError, match=r"seed must .*got -1"):
        Recipe(name="mine", seed=-1)


def test_simclr_with_one_view_is_refused() -> None:
    with pytest.raises(RequestError) as caught:
        Recipe(name="mine", method="simclr", views=ViewsConfig(count=1))
    assert str(caught.value) == (
        "simclr needs at least two views of every image, since an image's only positives are its other views; "
        "got views.count 1."
    )


def test_supervised_methods_may_have_one_view() -> None:
    for method in ("supcon", "cross-entropy"):
        Recipe(name="mine", method=method, views=ViewsConfig(count=1))


def test_a_recipe_does_not_change() -> None:
    recipe = find_recipe("digits")
    with pytest.raises(FrozenInstanceError):
        recipe.seed = 3  # type: ignore[misc]
    assert replace(recipe, seed=3).seed == 3


def test_a_batch_is_shared_evenly() -> None:
    stage1, two = Stage1Config(batch_size=33), HardwareConfig(devices=2)
    with pytest.raises(RequestError, match=r"stage1.batch_size must be a multiple of the 2 processes .* below is 32."):
        Recipe(name="x", stage1=stage1, hardware=two)
