"""The default folder of a run. Imports no torch, so that an existing folder is reported at once."""

from pathlib import Path

from supcon.data import short_name
from supcon.recipes import Method, Recipe


def default_folder(recipe: Recipe) -> Path:
    """`runs/DATA-METHOD`, followed by the seed unless it is 0."""
    return folder_of(recipe.data.spec, recipe.method, recipe.seed)


def folder_of(spec: str, method: Method, seed: int) -> Path:
    """The same folder without a recipe, whose choice may need the images."""
    name = f"{short_name(spec)}-{method}"
    return Path("runs") / (name if seed == 0 else f"{name}-seed{seed}")
