"""Changes single values of a recipe by their dotted names."""

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from supcon.base.errors import RequestError
from supcon.recipes.convert import recipe_from_values, recipe_to_values
from supcon.recipes.recipe import Recipe

SHORT_NAMES: dict[str, tuple[str, ...]] = {
    "epochs": ("stage1.epochs",),
    "batch_size": ("stage1.batch_size", "stage2.batch_size"),
    "micro_batch": ("stage1.micro_batch",),
    "device": ("hardware.device",),
    "devices": ("hardware.devices",),
    "num_nodes": ("hardware.num_nodes",),
    "precision": ("hardware.precision",),
    "compile": ("hardware.compile",),
    "logger": ("hardware.logger",),
    "data_root": ("data.root",),
    "download": ("data.download",),
    "skip_bad_images": ("data.skip_bad_images",),
}
"""Short names of common options, and the values they set."""


def full_names(names: Iterable[str]) -> set[str]:
    """Replaces short names by the dotted names that they set.

    >>> sorted(full_names(["batch_size", "seed"]))
    ['seed', 'stage1.batch_size', 'stage2.batch_size']
    """
    return {full for name in names for full in SHORT_NAMES.get(name, (name,))}


def change_recipe(recipe: Recipe, changes: Mapping[str, Any]) -> Recipe:
    """The recipe with some values replaced; names are dotted or short, None leaves a value unchanged.

    >>> from supcon.recipes import find_recipe
    >>> change_recipe(find_recipe("digits"), {"epochs": 3, "stage1.optimizer.lr": 0.2}).stage1.epochs
    3
    """
    values = recipe_to_values(recipe)
    for given, value in changes.items():
        if value is not None:
            for name in SHORT_NAMES.get(given, (given,)):
                _replace(values, name, value)
    values["encoder"]["pretrained"] = _full_path(values["encoder"]["pretrained"])
    return recipe_from_values(values)


def _full_path(pretrained: bool | str) -> bool | str:
    """The absolute path of a file of weights, so that a run can be resumed from another working directory."""
    return str(Path(pretrained).expanduser().resolve()) if isinstance(pretrained, str) and pretrained else pretrained


def _replace(values: dict[str, Any], name: str, value: Any) -> None:
    known = flat_values(values)
    if name not in known:
        near = difflib.get_close_matches(name, [*known, *SHORT_NAMES], n=1)
        hint = f"did you mean {near[0]!r}?" if near else "`supcon recipes NAME` prints all of them."
        raise RequestError(f"A recipe has no value called {name!r}; {hint}")
    *path, last = name.split(".")
    for part in path:
        values = values[part]
    values[last] = value


def flat_values(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested values by their dotted names.

    >>> flat_values({"a": {"b": 1}, "c": 2})
    {'a.b': 1, 'c': 2}
    """
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= flat_values(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat
