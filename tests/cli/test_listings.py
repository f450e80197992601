"""`supcon recipes`, `supcon datasets`, `supcon report`."""

from pathlib import Path

import pytest
import yaml

from supcon.cli.main import main
from supcon.data.catalogue import CATALOGUE
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


def test_every_data_set_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets", "--data-root", "/nowhere"]) == 0
    shown = capsys.readouterr().out
    rows = {line.split()[0].rstrip("*"): line.split()[1] for line in shown.splitlines() if len(line.split()) > 1}
    assert all(entry.name in rows for entry in CATALOGUE)
    assert (rows["digits"], rows["cifar10"]) == ("yes", "no")
    assert "/nowhere" in shown


def test_the_page_is_built_again(tiny_runs: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    page = tiny_runs["simclr"] / "report.html"
    before = page.read_text()
    page.unlink()
    assert main(["report", str(tiny_runs["simclr"])]) == 0
    assert page.read_text() == before
    assert str(page) in capsys.readouterr().out


@pytest.mark.parametrize("name", ["imagenet-resnet50-n-pairs", "digits-large-margin", "folder-joint", "digits"])
def test_every_name_that_train_takes_is_described(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recipes", name]) == 0
    shown = capsys.readouterr().out
    assert f"recipe: {name}\n" in shown
