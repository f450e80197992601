"""`supcon recipes`, `supcon datasets`, `supcon report`."""

import pytest
import yaml

from supcon.cli.main import main
from supcon.recipes import RECIPES, find_recipe
from supcon.recipes.convert import recipe_from_values


def test_every_recipe_is_listed_with_its_claim(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recipes"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in RECIPES)
    assert all((function.__doc__ or "").strip() for function in RECIPES.values())


@pytest.mark.parametrize("name", RECIPES)
def test_one_recipe_is_shown_whole(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main(["recipes", name]) == 0
    shown = capsys.readouterr().out
    values = yaml.safe_load(shown[shown.index("\nrecipe: ") :])
    assert recipe_from_values(values) == find_recipe(name)


def test_an_unknown_recipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recipes", "digit"]) == 2
    assert capsys.readouterr().err == "supcon: There is no recipe called 'digit'; did you mean 'digits'?\n"


@pytest.mark.parametrize("name", ["imagenet-resnet50-n-pairs", "digits-large-margin", "folder-joint", "digits"])
def test_every_name_that_train_takes_is_described(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recipes", name]) == 0
    shown = capsys.readouterr().out
    assert f"recipe: {name}\n" in shown
