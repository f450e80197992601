from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from supcon.base.errors import RequestError
from supcon.data.config import DataConfig
from supcon.losses import LossConfig
from supcon.recipes import RECIPES, Recipe
from supcon.recipes.convert import recipe_from_values, recipe_to_values
from supcon.stages.config import OptimizerConfig, Stage1Config
from supcon.views.config import ViewsConfig

shares = st.floats(0.01, 0.99)
statistics = st.none() | st.lists(shares, min_size=1, max_size=3).map(tuple)
optimizer = st.fixed_dictionaries(
    {"name": st.sampled_from(["sgd", "adamw"]), "lr": st.floats(1e-9, 1e9), "warmup_epochs": st.floats(0, 1)}
)
values_of_parts = st.fixed_dictionaries(
    {
        "method": st.sampled_from(["supcon", "simclr", "cross-entropy"]),
        "seed": st.integers(0, 2**32 - 1),
        "spec": st.sampled_from(["digits", "/a b/é", "null", "1e3", "true", "- x", "{}", "a: b", "007"]),
        "image_size": st.none() | st.integers(4, 512),
        "mean": statistics,
        "std": statistics,
        "crop_area": st.tuples(st.floats(0.01, 0.5), st.floats(0.5, 1)),
        "max_positives": st.none() | st.integers(1, 9),
        "rescale": st.sampled_from(["none", "temperature"]) | st.floats(0.01, 1),
        "optimizer": optimizer,
    }
)


def build(drawn: dict[str, Any]) -> Recipe:
    return Recipe(
        name="é ✓",
        method=drawn["method"],
        seed=drawn["seed"],
        data=DataConfig(**{name: drawn[name] for name in ("spec", "image_size", "mean", "std")}),
        views=ViewsConfig(crop_area=drawn["crop_area"]),
        loss=LossConfig(max_positives=drawn["max_positives"], rescale=drawn["rescale"]),
        stage1=Stage1Config(optimizer=OptimizerConfig(**drawn["optimizer"])),
    )


@settings(max_examples=10, deadline=None)
@given(values_of_parts)
def test_a_recipe_comes_back_from_its_file(drawn: dict[str, Any]) -> None:
    recipe = build(drawn)
    text = yaml.safe_dump(recipe_to_values(recipe), sort_keys=False, allow_unicode=True)
    assert recipe_from_values(yaml.safe_load(text)) == recipe


@pytest.mark.parametrize("function", RECIPES.values(), ids=RECIPES)
def test_every_named_recipe_comes_back(function: Callable[[], Recipe]) -> None:
    assert recipe_from_values(recipe_to_values(function())) == function()


def test_every_value_is_there() -> None:
    def names(config: Any) -> dict[str, Any]:
        return {f.name: names(getattr(config, f.name)) for f in fields(config)} if is_dataclass(config) else {}

    def keys(values: Any) -> dict[str, Any]:
        return {name: keys(value) for name, value in values.items()} if isinstance(values, dict) else {}

    recipe = RECIPES["digits"]()
    expected = names(recipe)
    del expected["name"]
    assert keys(recipe_to_values(recipe)) == {"recipe": {}, **expected}


def test_values_left_out_take_their_defaults() -> None:
    assert recipe_from_values({"recipe": "mine", "seed": 5}) == Recipe(name="mine", seed=5)


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"nonsense": 1}, "nonsense"),
        ({"stage1": {"nonsense": 1}}, "nonsense"),
        ({"stage1": {"epochs": "many"}}, "stage1.epochs"),
        ({"stage1": {"epochs": 2.5}}, "stage1.epochs"),
        ({"method": "suppcon"}, "method"),
        ({"encoder": {"name": "resnet19"}}, "encoder.name"),
        ({"views": {"crop_area": [1]}}, "views.crop_area"),
        ({"seed": True}, "seed"),
    ],
)
def test_values_that_are_none_of_a_recipe_are_refused_by_name(values: dict[str, Any], named: str) -> None:
    with pytest.raises(RequestError) as caught:
        recipe_from_values({"recipe": "mine", **values})
    assert named in str(caught.value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"stage1": {"epochs": 0}}, "stage1.epochs must be at least 1, got 0."),
        ({"data": {"image_size": 1}}, "data.image_size must be at least 4 pixels, got 1."),
        ({"encoder": {"width": 0}}, "encoder.width must be at least 1, got 0."),
    ],
)
def test_what_a_config_refuses_a_file_cannot_bring_in(values: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError) as caught:
        recipe_from_values({"recipe": "mine", **values})
    assert str(caught.value) == message


@pytest.mark.parametrize("values", [{"loss": {"temperature": 0.0}}, {"views": {"crop_area": [0.9, 0.1]}}])
def test_losses_and_views_refuse_as_well(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"temperature must be|crop_area must be"):
        recipe_from_values({"recipe": "mine", **values})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"stage1": 3}, "stage1 must be a group of named values, got 3."),
        ({"stage1": {"optimizer": 3}}, "stage1.optimizer must be a group of named values, got 3."),
    ],
)
def test_a_part_of_a_recipe_is_no_single_value(values: dict[str, object], words: str) -> None:
    with pytest.raises(RequestError, match=words):
        recipe_from_values(values)
