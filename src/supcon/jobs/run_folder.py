"""Where a run's files go unless --out says otherwise; free of torch, so that an existing one is refused at once."""

from pathlib import Path

from supcon.data import short_name
from supcon.recipes import Method, Recipe


def default_folder(recipe: Recipe) -> Path:
    """`runs/DATA-METHOD`, with the seed where it is not the usual one."""
    return folder_of(recipe.data.spec, recipe.method, recipe.seed)


def folder_of(spec: str, method: Method, seed: int) -> Path:
    """The same before the recipe is known, which may need a look at the images."""
    name = f"{short_name(spec)}-{method}"
    return Path("runs") / (name if seed == 0 else f"{name}-seed{seed}")
