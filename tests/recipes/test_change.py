from dataclasses import replace
from typing import Any

import pytest

from supcon.base.errors import RequestError
from supcon.recipes import find_recipe
from supcon.recipes.change import SHORT_NAMES, change_recipe, flat_values
from supcon.recipes.convert import recipe_to_values

RECIPE = find_recipe("digits")


def test_nothing_to_change_changes_nothing() -> None:
    assert change_recipe(RECIPE, {}) == RECIPE
    assert change_recipe(RECIPE, {"epochs": None, "stage1.optimizer.lr": None}) == RECIPE


def test_one_value_by_its_dotted_name_and_no_other() -> None:
    found = change_recipe(RECIPE, {"stage1.optimizer.lr": 0.25})
    optimizer = replace(RECIPE.stage1.optimizer, lr=0.25)
    assert found == replace(RECIPE, stage1=replace(RECIPE.stage1, optimizer=optimizer))


def test_short_names_reach_every_value_they_stand_for() -> None:
    found = change_recipe(
        RECIPE, {"epochs": 7, "batch_size": 32, "device": "cpu", "precision": "bf16-mixed", "seed": 9}
    )
    assert (found.stage1.epochs, found.stage2.epochs) == (7, RECIPE.stage2.epochs)
    assert (found.stage1.batch_size, found.stage2.batch_size) == (32, 32)
    assert (found.hardware.device, found.hardware.precision, found.seed) == ("cpu", "bf16-mixed", 9)


def test_short_names_stand_for_values_that_exist() -> None:
    known = flat_values(recipe_to_values(RECIPE))
    assert all(name in known for names in SHORT_NAMES.values() for name in names)


def test_every_value_can_be_set_by_its_dotted_name() -> None:
    other = find_recipe("folder-cross-entropy")
    values = flat_values(recipe_to_values(other))
    assert change_recipe(RECIPE, values) == other


def test_the_recipe_given_is_left_alone() -> None:
    before = recipe_to_values(RECIPE)
    change_recipe(RECIPE, {"epochs": 3, "views.crop_area": [0.3, 0.4]})
    assert recipe_to_values(RECIPE) == before


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("stage1.epoch", "did you mean 'stage1.epochs'?"),
        ("epoch", "did you mean 'epochs'?"),
        ("loss.temprature", "did you mean 'loss.temperature'?"),
        ("stage1.optimizer", "did you mean 'stage1.optimizer."),
        ("xyzzy", "`supcon recipes NAME` prints all of them."),
    ],
)
def test_an_unknown_name_gets_the_nearest_one(name: str, hint: str) -> None:
    with pytest.raises(RequestError) as caught:
        change_recipe(RECIPE, {name: 1})
    assert str(caught.value).startswith(f"A recipe has no value called {name!r}; {hint}")


@pytest.mark.parametrize(
    "changes", [{"epochs": 0}, {"epochs": "many"}, {"method": "foo"}, {"device": "tpu"}, {"stage1.optimizer.lr": -1.0}]
)
def test_bad_values_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(RequestError):
        change_recipe(RECIPE, changes)


def test_flat_names_are_unique_and_dotted() -> None:
    assert flat_values({"a": {"b": {"c": 1}, "d": [2]}, "e": None}) == {"a.b.c": 1, "a.d": [2], "e": None}
