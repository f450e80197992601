"""The recipes of the digits."""

from typing import get_args

from supcon.recipes import Method, find_recipe

METHODS = get_args(Method)


def test_digits_are_never_mirrored() -> None:
    for method in METHODS:
        recipe = find_recipe("digits", method)
        assert recipe.views.flip_probability == recipe.stage2.views.flip_probability == 0
