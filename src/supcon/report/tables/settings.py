"""A recipe's nested values by their dotted names, and the settings that differ between runs."""

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

NOT_A_SETTING = frozenset({"seed", "recipe", "name", "out", "data.hold"})
"""Values that may differ between repetitions of a run: the seed, the names of recipe and run, and how images are held,
which depends on the free memory."""


def setting(recipe: Mapping[str, Any], name: str) -> Any:
    """The value of a dotted name, or None if the recipe has no such setting.

    >>> setting({"stage1": {"epochs": 60}}, "stage1.epochs")
    60
    """
    value: Any = recipe
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return value


def flat_settings(recipe: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Every value by its dotted name, in the recipe's order.

    >>> flat_settings({"method": "supcon", "stage1": {"epochs": 60}})
    {'method': 'supcon', 'stage1.epochs': 60}
    """
    flat: dict[str, Any] = {}
    for key, value in recipe.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping) and value:
            flat |= flat_settings(value, f"{name}.")
        else:
            flat[name] = list(value) if isinstance(value, tuple) else value
    return flat


def repeatable(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """The settings without the seed and names: equal for runs that differ only by seed."""
    return {name: value for name, value in flat_settings(recipe).items() if name not in NOT_A_SETTING}


def differences(recipes: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The settings that differ between recipes, with the value of each recipe (None: it has no such setting).

    >>> differences([{"method": "supcon", "batch": 8}, {"method": "simclr", "batch": 8}])
    {'method': ['supcon', 'simclr']}
    """
    flat = [repeatable(recipe) for recipe in recipes]
    names = dict.fromkeys(name for settings in flat for name in settings)
    values = {name: [settings.get(name) for settings in flat] for name in names}
    return {name: row for name, row in values.items() if any(value != row[0] for value in row)}


def recipe_yaml(recipe: Mapping[str, Any]) -> str:
    """The recipe as YAML, as in `recipe.yaml`.

    >>> print(recipe_yaml({"method": "supcon", "views": {"crop_area": (0.2, 1.0)}}), end="")
    method: supcon
    views:
      crop_area:
      - 0.2
      - 1.0
    """
    return str(yaml.safe_dump(_plain(recipe), sort_keys=False, allow_unicode=True))


def _plain(value: Any) -> Any:
    """Nested values with mappings as dicts and tuples as lists, which YAML can represent."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value
