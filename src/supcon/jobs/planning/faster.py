"""Options that make a long run faster, each with the estimated time."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import NamedTuple

from supcon.data import ImageData
from supcon.encoder import RESNETS, Encoder, make_encoder
from supcon.jobs.planning.time_estimate import TimeEstimate, estimate_time
from supcon.recipes import RECIPES, Recipe, find_recipe
from supcon.stages import METHODS

LONG = 30 * 60
"""Alternatives are shown for runs longer than this, in seconds."""
_SMALLEST_IMAGE = 64
_SMALLEST_ENLARGED = 16
_LARGER, _SMALLER = "timm:tf_efficientnet_lite2", "timm:tf_efficientnet_lite0"
"""Pretrained encoders that are installed with supcon."""
WORTH = 0.9
"""An alternative is shown if it takes at most this fraction of the time."""


class Alternative(NamedTuple):
    """Options to add to the command, and the seconds that the run would then take."""

    options: str
    what: str
    seconds: float


def faster(
    recipe: Recipe, data: ImageData, encoder: Encoder, time: TimeEstimate, side: int | None = None
) -> list[Alternative]:
    """The alternatives to a long run, the fastest first; empty for a short run.

    `side` is that of the files in pixels, if `data` has other images.
    """
    if time.total <= LONG:
        return []
    found = [*_alternatives(recipe, data, encoder, time), *_other_recipes(recipe, data, side or data.image_size)]
    return sorted((one for one in found if one.seconds <= WORTH * time.total), key=lambda one: one.seconds)


def _other_recipes(recipe: Recipe, data: ImageData, side: int) -> Iterator[Alternative]:
    """Recipes with another encoder: a pretrained one if this one trains from scratch on colour images, a small one."""
    family = recipe.name.removesuffix(f"-{recipe.method}")
    if family not in RECIPES or RECIPES[family]().encoder.name != recipe.encoder.name:
        return  # the user's encoder would replace that of the other recipe
    if family.startswith("folder") and data.channels == 3 and side >= _SMALLEST_ENLARGED:
        name = "photos" if side >= _SMALLEST_IMAGE else "small-photos"
        encoder = find_recipe(name).encoder.name.removeprefix("timm:")
        yield _recipe_called(name, recipe, data, side, f"fine-tunes {encoder}, pretrained")
    if (smaller := _small_recipe(family)) is not None:
        yield _recipe_called(smaller, recipe, data, side, "trains a small network from scratch")


def _small_recipe(family: str) -> str | None:
    """The family whose recipe trains a small network on the same data; None if there is none.

    >>> _small_recipe("folder"), _small_recipe("cifar10-resnet50"), _small_recipe("photos")
    ('folder-small', 'cifar10-small', None)
    """
    name = "folder-small" if family == "small-photos" else f"{family.removesuffix('-resnet50')}-small"
    return name if name in RECIPES else None


def _recipe_called(name: str, recipe: Recipe, data: ImageData, side: int, what: str) -> Alternative:
    other = replace(find_recipe(name, recipe.method), hardware=recipe.hardware, seed=recipe.seed)
    size = other.data.image_size or side
    config = replace(other.encoder, pretrained=False)  # the weights do not change the speed
    encoder = make_encoder(**asdict(config), channels=data.channels, image_size=size, mean=data.mean, std=data.std)
    seconds = estimate_time(other, data, encoder, size).total
    return Alternative(f"--recipe {name}", what, seconds)


def _smaller_pretrained(recipe: Recipe, data: ImageData) -> Alternative | None:
    """A smaller pretrained encoder at the same image size, if this is the larger one."""
    if recipe.encoder.name != _LARGER or not recipe.encoder.pretrained:
        return None
    other = replace(recipe, encoder=replace(recipe.encoder, name=_SMALLER))
    config, size = asdict(replace(other.encoder, pretrained=False)), data.image_size
    encoder = make_encoder(**config, channels=data.channels, image_size=size, mean=data.mean, std=data.std)
    options = f"--recipe {recipe.name} --encoder.name {_SMALLER}"
    return Alternative(options, "a smaller pretrained encoder", estimate_time(other, data, encoder).total)


def _alternatives(recipe: Recipe, data: ImageData, encoder: Encoder, time: TimeEstimate) -> Iterator[Alternative]:
    size, epochs = data.image_size, recipe.stage1.epochs
    if (other := _smaller_pretrained(recipe, data)) is not None:
        yield other
    smaller = max(_SMALLEST_IMAGE, 32 * round(size / 64))
    if smaller < size and recipe.encoder.name in (*RESNETS, "small-resnet"):
        seconds = estimate_time(recipe, data, encoder, smaller).total
        yield Alternative(f"--data.image_size {smaller}", f"images of {smaller} instead of {size} pixels", seconds)
    if METHODS[recipe.method].stage2 and not recipe.stage2.cached and not recipe.stage2.encoder_lr:
        cached = replace(recipe, stage2=replace(recipe.stage2, cached=True))
        seconds = time.total - time.stage2 + estimate_time(cached, data, encoder).stage2
        yield Alternative("--stage2.cached true", "stage 2 encodes every image once", seconds)
    if epochs >= 4:
        seconds = time.total - time.stage1 * (1 - (epochs // 4) / epochs)
        yield Alternative(f"--epochs {epochs // 4}", f"a quarter of the {epochs} epochs of stage 1", seconds)
