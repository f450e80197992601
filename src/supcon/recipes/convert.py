"""Converts recipes to plain values and back, for `recipe.yaml` and `--config`."""

from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from functools import cache
from typing import Any, get_args

from jsonargparse import ArgumentError, ArgumentParser, Namespace

from supcon.base.errors import RequestError
from supcon.recipes.recipe import Recipe


def recipe_to_values(recipe: Recipe) -> dict[str, Any]:
    """Nested plain values; the recipe's name goes under `recipe`, as on the command line."""
    values = _plain(asdict(recipe))
    return {"recipe": values.pop("name"), **values}


def recipe_from_values(values: Mapping[str, Any]) -> Recipe:
    """The inverse of `recipe_to_values`; wrong types and unknown names are errors."""
    given = dict(values)
    name = given.pop("recipe", "")
    if not isinstance(name, str):
        raise RequestError(f"recipe must be a name, got {name!r}.")
    refuse_plain_groups(given)
    parser = _recipe_parser()
    try:
        parsed = parser.parse_object(given)
        refuse_plain_groups(parsed)
        return build_recipe(name, parser.instantiate(parsed))
    except ArgumentError as error:
        raise RequestError(f"These are not the values of a recipe: {' '.join(error.message.split())}") from error
    except RequestError:
        raise
    except ValueError as error:  # raised by a config that checks its values
        raise RequestError(str(error)) from error


@cache
def _recipe_parser() -> ArgumentParser:
    """The parser of a recipe's values; making it takes a quarter of a second."""
    parser = ArgumentParser(exit_on_error=False)
    parser.add_class_arguments(Recipe, skip={"name"})
    return parser


def build_recipe(name: str, parsed: Any) -> Recipe:
    """A recipe from a parser's namespace whose groups are config objects already."""
    return Recipe(name=name, **{item.name: parsed[item.name] for item in fields(Recipe) if item.name != "name"})


def refuse_plain_groups(parsed: Any, kind: type = Recipe, prefix: str = "") -> None:
    """Raises an error for `stage1: 3` or `stage1: null`, which the parser ignores: a group must hold named values."""
    for item in fields(kind):
        if item.name in parsed and parsed[item.name] is None and not _may_be_none(item.type):
            what = "a group of named values" if is_dataclass(item.type) else "given or left out"
            raise RequestError(f"{prefix}{item.name} must be {what}, got None.")
        if is_dataclass(item.type) and item.name in parsed:
            value = parsed[item.name]
            if not isinstance(value, Namespace | Mapping):
                raise RequestError(f"{prefix}{item.name} must be a group of named values, got {value!r}.")
            refuse_plain_groups(value, item.type, f"{prefix}{item.name}.")  # type: ignore[arg-type]


def _may_be_none(kind: Any) -> bool:
    return kind is Any or type(None) in get_args(kind)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return list(value) if isinstance(value, tuple) else value
