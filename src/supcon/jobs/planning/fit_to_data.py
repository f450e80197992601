"""Adapts the settings of a recipe to the images and the device, unless the user has set them.

A recipe's values are for the data it was made for. A batch size that is too large for the training set is reduced,
and its learning rate with it; `auto` and none are replaced by the actual values, so that `recipe.yaml` records them.
A value that the user set is never changed; one that cannot work is an error.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import TypeVar

from supcon.base.errors import RequestError
from supcon.data import ListedData
from supcon.encoder import RESNETS, resolve_stem
from supcon.recipes import Recipe
from supcon.stages import METHODS, Stage1Config, Stage2Config

_STEPS_AN_EPOCH = 4
"""Minimum number of steps per epoch; the incomplete last batch, which is dropped, is then below a fifth of the
images."""
_LARGEST_ON_CPU = 96
"""Largest image size for a resnet trained from scratch on a CPU: 224 pixels take more than five times as long."""

Stage = TypeVar("Stage", Stage1Config, Stage2Config)


def fit_to_data(
    recipe: Recipe, listed: ListedData, given: Collection[str] = (), *, on_gpu: bool = False
) -> tuple[Recipe, ListedData]:
    """The recipe with adapted batch sizes, image size, stem and storage; `given` are the names of the user's values."""
    recipe, listed = _fit_image_size(recipe, listed, given, on_gpu)
    counts = listed.counts
    stage1_images = counts["train"] + (counts["unlabelled"] if METHODS[recipe.method].contrastive else 0)
    processes = recipe.hardware.devices * recipe.hardware.num_nodes
    multiple = processes
    if recipe.stage1.sampler == "m-per-class":
        multiple *= recipe.stage1.images_per_class
    stem = resolve_stem(recipe.encoder.name, recipe.encoder.stem, listed.layout.image_size)
    recipe = replace(
        recipe,
        encoder=replace(recipe.encoder, stem=stem),
        stage1=_fit_batch("stage1", recipe.stage1, stage1_images, multiple, given),
        stage2=_fit_batch("stage2", recipe.stage2, counts["train"], processes, given),
    )
    return recipe, listed


def _fit_image_size(
    recipe: Recipe, listed: ListedData, given: Collection[str], on_gpu: bool
) -> tuple[Recipe, ListedData]:
    """Sets image size and storage to those of the data; a smaller size for a resnet from scratch on a CPU."""
    size, free = listed.layout.image_size, recipe.data.image_size is None and "data.image_size" not in given
    if free and not on_gpu and not recipe.encoder.pretrained and recipe.encoder.name in RESNETS:
        size = min(size, _LARGEST_ON_CPU)
    listed = listed.with_config(replace(recipe.data, image_size=size)) if size != listed.layout.image_size else listed
    data = replace(recipe.data, image_size=size, hold=listed.storage)
    return replace(recipe, data=data), listed.with_config(data)


def _fit_batch(name: str, stage: Stage, images: int, multiple: int, given: Collection[str]) -> Stage:
    """The stage with a batch size that gives several steps per epoch; an absolute learning rate is scaled with it."""
    asked = stage.batch_size
    if f"{name}.batch_size" in given:
        if asked > images:
            raise RequestError(
                f"The batch size {asked} is larger than the training set of {images} images; use --batch-size "
                f"{_fitting_batch(images, asked, multiple)} or leave it out."
            )
        return stage
    batch_size = _fitting_batch(images, asked, multiple)
    if batch_size > images:
        raise RequestError(
            f"A step needs at least {batch_size} images, but there are {images} training images; add images."
        )
    optimizer = stage.optimizer
    if batch_size != asked and optimizer.lr_rule == "absolute" and f"{name}.optimizer.lr" not in given:
        optimizer = replace(optimizer, lr=optimizer.lr * batch_size / asked)
    return replace(stage, batch_size=batch_size, optimizer=optimizer)


def _fitting_batch(images: int, asked: int, multiple: int) -> int:
    """`asked` if it is at most a quarter of the images, otherwise the largest power of two that is.

    >>> _fitting_batch(221, 256, 1), _fitting_batch(2001, 256, 1), _fitting_batch(221, 256, 6)
    (32, 256, 30)
    """
    if asked * _STEPS_AN_EPOCH <= images:
        return asked
    power = 1 << max(1, (images // _STEPS_AN_EPOCH).bit_length() - 1)
    return max(min(power, asked) // multiple * multiple, multiple, 2)
