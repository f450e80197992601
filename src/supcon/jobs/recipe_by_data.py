"""Chooses the recipe of a run if none is given."""

from collections.abc import Collection

from supcon.base.progress import say
from supcon.data import DataConfig, data_summary
from supcon.recipes import choose_recipe, recipe_for

_ENCODER = ("encoder.name", "encoder.pretrained")


def fitting_recipe(data: DataConfig, changed: Collection[str] = ()) -> str:
    """The name of the recipe for `data`: by its name, otherwise by the number and size of its images.

    `changed` are the dotted names of the values that the user sets: if they set the encoder, the recipe is one that
    trains from scratch, so that no pretrained weights are downloaded unasked.
    """
    named = recipe_for(data.spec)
    if named is not None:
        return named
    if any(name in changed for name in _ENCODER):
        return "folder"
    choice = choose_recipe(*data_summary(data))
    say(choice.reason)
    return choice.recipe
