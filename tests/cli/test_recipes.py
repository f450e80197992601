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
    assert ("spec" in values["data"]) == (not name.startswith(("photos", "small-photos", "folder")))


def test_a_narrow_terminal_has_a_line_for_every_family(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["recipes"]) == 0
    shown = capsys.readouterr().out.splitlines()
    rows = {line.split()[0]: line for line in shown}
    assert "SupCon (Eq. 2) on photographs" in rows["photos"]
    assert all(name in rows for name, function in RECIPES.items() if function().method == "supcon")
    assert len(shown) < 20


def test_an_unknown_recipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recipes", "digit"]) == 2
    assert capsys.readouterr().err == "supcon: There is no recipe called 'digit'; did you mean 'digits'?\n"


@pytest.mark.parametrize("name", ["imagenet-resnet50-n-pairs", "digits-large-margin", "folder-joint", "digits"])
def test_every_name_that_train_takes_is_described(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recipes", name]) == 0
    shown = capsys.readouterr().out
    assert f"recipe: {name}\n" in shown
