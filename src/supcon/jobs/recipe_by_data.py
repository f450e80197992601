"""The recipe of a run that was asked for without one."""

from collections.abc import Collection

from supcon.base.progress import say
from supcon.data import DataConfig, first_look
from supcon.recipes import choose_recipe, recipe_for

_ENCODER = ("encoder.name", "encoder.pretrained")


def fitting_recipe(data: DataConfig, changed: Collection[str] = ()) -> str:
    """The name of the recipe that fits `data`: by its name, otherwise by number and size of its images.

    `changed` are the values that the user sets, by dotted names: with an encoder of their own choice the recipe is one
    that trains from scratch, so that nothing is downloaded that nobody asked for.
    """
    named = recipe_for(data.spec)
    if named is not None:
        return named
    if any(name in changed for name in _ENCODER):
        return "folder"
    choice = choose_recipe(*first_look(data))
    say(choice.reason)
    return choice.recipe
