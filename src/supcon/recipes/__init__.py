"""Named recipes. A recipe is a function; a variant calls it and changes fields. Does not import torch."""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from supcon.recipes.change import SHORT_NAMES as SHORT_NAMES
    from supcon.recipes.change import change_recipe as change_recipe
    from supcon.recipes.change import flat_values as flat_values
    from supcon.recipes.change import full_names as full_names
    from supcon.recipes.choose import choose_recipe as choose_recipe
    from supcon.recipes.convert import build_recipe as build_recipe
    from supcon.recipes.convert import recipe_from_values as recipe_from_values
    from supcon.recipes.convert import recipe_to_values as recipe_to_values
    from supcon.recipes.convert import refuse_plain_groups as refuse_plain_groups
    from supcon.recipes.find import RECIPES as RECIPES
    from supcon.recipes.find import find_recipe as find_recipe
    from supcon.recipes.find import needs_gpu as needs_gpu
    from supcon.recipes.find import recipe_for as recipe_for
    from supcon.recipes.recipe import Method as Method
    from supcon.recipes.recipe import Recipe as Recipe
    from supcon.recipes.without_effect import unused_values as unused_values
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)
