"""Chooses the recipe of a run if none is given."""

from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from typing import Any, cast

from supcon.base.errors import RequestError
from supcon.base.progress import say
from supcon.data import DataConfig, data_summary, list_data
from supcon.recipes import choose_recipe, needs_gpu, recipe_for
from supcon.serving import Device, torch_device

_ENCODER = ("encoder.name", "encoder.pretrained")


def fitting_recipe(data: DataConfig, changed: Mapping[str, Any] | Collection[str] = ()) -> str:
    """The name of the recipe for `data`: by its images and the device, or by its name.

    Data of a name that has a recipe get that one; if it is for a GPU and there is none, the images decide.

    `changed` are the dotted names of the values that the user sets: if they set the encoder, the recipe is one that
    trains from scratch, so that no pretrained weights are downloaded unasked. If it is a mapping, its values of `data`
    and the device count too.
    """
    named = recipe_for(data.spec)
    if named is not None and not needs_gpu(named):
        return named
    if any(name in changed for name in _ENCODER):
        return named or "folder"
    values = changed if isinstance(changed, Mapping) else {}
    device = values.get("device") or values.get("hardware.device") or "auto"
    on_gpu = torch_device(cast(Device, device)) == "cuda"
    if named is not None and on_gpu:
        return named
    images, side = _number_and_side(_with_changes(data, values))
    choice = choose_recipe(images, side, on_gpu=on_gpu, scratch=named or "folder")
    say(choice.reason)
    return choice.recipe


def _with_changes(data: DataConfig, values: Mapping[str, Any]) -> DataConfig:
    """Without an image size: the choice is made by the size of the files."""
    given = {item.name: values.get(f"data.{item.name}") for item in fields(DataConfig) if item.name != "spec"}
    return replace(data, **{name: value for name, value in given.items() if value is not None} | {"image_size": None})


def _number_and_side(data: DataConfig) -> tuple[int, int]:
    """The number of training images, without those held out, and their side in pixels."""
    try:
        listed = list_data(data)
    except RequestError:  # no splits can be made; `supcon views` draws the images all the same
        return data_summary(data)
    return listed.counts["train"] + listed.counts["unlabelled"], listed.layout.image_size
