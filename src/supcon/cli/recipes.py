"""`supcon recipes`: lists the recipes, or shows one."""

import inspect
from collections.abc import Sequence

import yaml
from rich.console import Console
from rich.table import Table

from supcon.cli.parser import CommandParser
from supcon.recipes import RECIPES, Method, find_recipe, recipe_to_values


def run(arguments: Sequence[str]) -> None:
    parser = CommandParser(
        "recipes", "Lists the recipes; with NAME, shows its claim and all its values.", "[NAME]", examples=["photos"]
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="Name of a recipe.")
    name = parser.parse(arguments).name
    console = Console(highlight=False, soft_wrap=name is not None)
    console.print(_list() if name is None else _whole(name), markup=False)


def _list() -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("recipe", "encoder", "epochs", "description"):
        table.add_column(column, no_wrap=column != "description")
    for name, function in RECIPES.items():
        recipe = function()
        claim = (inspect.getdoc(function) or "").splitlines()[0]
        table.add_row(name, recipe.encoder.name, str(recipe.stage1.epochs), claim)
    return table


def _whole(name: str) -> str:
    recipe = find_recipe(name)
    values = yaml.safe_dump(recipe_to_values(recipe), sort_keys=False)
    return f"{_claim(name, recipe.method)}\n\n{values}".rstrip()


def _claim(name: str, method: Method) -> str:
    """The docstring of the recipe; for a method without its own recipe, that of the recipe it is derived from."""
    if name in RECIPES:
        return inspect.getdoc(RECIPES[name]) or ""
    family = name.removesuffix(f"-{method}")
    return f"{family} with the method {method}, which has no recipe of its own. It is derived from:\n\n" + (
        inspect.getdoc(RECIPES[family]) or ""
    )
