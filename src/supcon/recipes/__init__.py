"""Named runs. A recipe is a function; a variant calls it and changes a field. Free of torch."""

from supcon.recipes.find import RECIPES, find_recipe, recipe_for
from supcon.recipes.recipe import Method, Recipe

__all__ = ["RECIPES", "Method", "Recipe", "find_recipe", "recipe_for"]
