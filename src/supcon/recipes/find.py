"""Recipes by name."""

import difflib
from collections.abc import Callable
from dataclasses import replace

from supcon.errors import RequestError
from supcon.recipes.digits import digits, digits_cross_entropy, digits_simclr
from supcon.recipes.folder import folder, folder_cross_entropy, folder_simclr
from supcon.recipes.recipe import Method, Recipe

RECIPES: dict[str, Callable[[], Recipe]] = {
    function().name: function
    for function in (digits, digits_simclr, digits_cross_entropy, folder, folder_simclr, folder_cross_entropy)
}


def find_recipe(name: str, method: Method | None = None) -> Recipe:
    """The recipe called `name`; for a `method` other than its own, the variant made for that method.

    >>> find_recipe("digits", "cross-entropy").name
    'digits-cross-entropy'
    """
    if name not in RECIPES:
        near = difflib.get_close_matches(name, RECIPES, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(RECIPES)}."
        raise RequestError(f"There is no recipe called {name!r}; {hint}")
    recipe = RECIPES[name]()
    if method is None or method == recipe.method:
        return recipe
    family = name.removesuffix(f"-{recipe.method}")
    variant = RECIPES.get(family if method == "supcon" else f"{family}-{method}")
    return variant() if variant is not None else replace(recipe, method=method)


def recipe_for(spec: str) -> str:
    """The recipe that fits a data spec: the one that bears its name, otherwise `folder`."""
    return spec if spec in RECIPES else "folder"
