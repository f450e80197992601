"""Recipes to plain values and back: what `recipe.yaml` holds and `--config` takes."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from jsonargparse import ArgumentError, ArgumentParser

from supcon.errors import RequestError
from supcon.recipes.recipe import Recipe


def recipe_to_values(recipe: Recipe) -> dict[str, Any]:
    """Nested plain values; the recipe's name goes under `recipe`, as on the command line."""
    values = _plain(asdict(recipe))
    return {"recipe": values.pop("name"), **values}


def recipe_from_values(values: Mapping[str, Any]) -> Recipe:
    """The recipe that `recipe_to_values` gave these values for; wrong types and unknown names are refused."""
    given = dict(values)
    name = given.pop("recipe", "")
    parser = ArgumentParser(exit_on_error=False)
    parser.add_class_arguments(Recipe, skip={"name"})
    try:
        return build_recipe(name, parser.instantiate(parser.parse_object(given)))
    except ArgumentError as error:
        raise RequestError(f"These are not the values of a recipe: {' '.join(error.message.split())}") from error
    except RequestError:
        raise
    except ValueError as error:  # a config that refuses its values
        raise RequestError(str(error)) from error


def build_recipe(name: str, parsed: Any) -> Recipe:
    """A recipe from a parser's namespace in which every part is already an object of its type."""
    return Recipe(name=name, **{item.name: parsed[item.name] for item in fields(Recipe) if item.name != "name"})


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return list(value) if isinstance(value, tuple) else value
