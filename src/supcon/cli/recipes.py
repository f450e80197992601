"""`supcon recipes`: lists the recipes, or shows one."""

import inspect
from collections.abc import Callable, Sequence

import yaml
from rich.table import Table
from rich.text import Text

from supcon.cli.parser import CommandParser
from supcon.cli.printing.results_console import results_console
from supcon.recipes import RECIPES, Method, Recipe, find_recipe, recipe_to_values

_WIDE = 130
"""Width of a terminal, in characters, from which all recipes are listed."""
_VARIANTS = (
    "`supcon recipes NAME` shows a recipe. --method chooses the variant for that method, such as digits-simclr or "
    "digits-cross-entropy."
)


def run(arguments: Sequence[str]) -> None:
    parser = CommandParser(
        "recipes", "Lists the recipes; with NAME, shows its claim and all its values.", "[NAME]", examples=["photos"]
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="Name of a recipe.")
    name = parser.parse(arguments).name
    console = results_console()
    if name is not None:
        console.print(_whole(name), markup=False)
    elif console.width >= _WIDE:
        console.print(_list())
    else:
        console.print(_families())
        console.print(_VARIANTS, soft_wrap=False)


def _list() -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("recipe", "encoder", "epochs", "description"):
        table.add_column(column, no_wrap=column != "description")
    for name, function in RECIPES.items():
        recipe = function()
        table.add_row(name, recipe.encoder.name, str(recipe.stage1.epochs), _first_line(function))
    return table


def _families() -> Table:
    """The recipes of SupCon, a line each; the others are named after them."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("recipe", no_wrap=True)
    table.add_column("description")
    for name, function in RECIPES.items():
        if function().method == "supcon":
            table.add_row(name, Text(_first_line(function), no_wrap=True, overflow="ellipsis"))
    return table


def _first_line(function: Callable[[], Recipe]) -> str:
    return (inspect.getdoc(function) or "").splitlines()[0]


def _whole(name: str) -> str:
    recipe = find_recipe(name)
    values = recipe_to_values(recipe)
    if not name.startswith(recipe.data.spec):  # a recipe for any images: the default has nothing to do with it
        del values["data"]["spec"]
    return f"{_claim(name, recipe.method)}\n\n{yaml.safe_dump(values, sort_keys=False)}".rstrip()


def _claim(name: str, method: Method) -> str:
    """The docstring of the recipe; for a method without its own recipe, that of the recipe it is derived from."""
    if name in RECIPES:
        return inspect.getdoc(RECIPES[name]) or ""
    family = name.removesuffix(f"-{method}")
    return f"{family} with the method {method}, which has no recipe of its own. It is derived from:\n\n" + (
        inspect.getdoc(RECIPES[family]) or ""
    )
