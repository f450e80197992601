"""Where a run's files go unless --out says otherwise; free of torch, so that an existing one is refused at once."""

from pathlib import Path

from supcon.data import short_name
from supcon.recipes import Recipe


def default_folder(recipe: Recipe) -> Path:
    """`runs/DATA-METHOD`, with the seed where it is not the usual one."""
    name = f"{short_name(recipe.data.spec)}-{recipe.method}"
    return Path("runs") / (name if recipe.seed == 0 else f"{name}-seed{recipe.seed}")
