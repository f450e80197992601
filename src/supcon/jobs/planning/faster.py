"""Options that make a long run faster, each with the estimated time."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import NamedTuple

from supcon.data import ImageData
from supcon.encoder import RESNETS, Encoder, make_encoder
from supcon.jobs.planning.time_estimate import TimeEstimate, estimate_time
from supcon.recipes import Recipe, find_recipe
from supcon.stages import METHODS

LONG = 30 * 60
"""Alternatives are shown for runs longer than this, in seconds."""
_SMALLEST_IMAGE = 64
_LARGER, _SMALLER = "timm:tf_efficientnet_lite2", "timm:tf_efficientnet_lite0"
"""Pretrained encoders that are installed with supcon."""
_WORTH = 0.9
"""An alternative is shown if it takes at most this fraction of the time."""


class Alternative(NamedTuple):
    """Options to add to the command, and the seconds that the run would then take."""

    options: str
    what: str
    seconds: float


def faster(recipe: Recipe, data: ImageData, encoder: Encoder, time: TimeEstimate) -> list[Alternative]:
    """The alternatives to a long run, the fastest first; empty for a short run."""
    if time.total <= LONG:
        return []
    found = [one for one in _alternatives(recipe, data, encoder, time) if one.seconds <= _WORTH * time.total]
    return sorted(found, key=lambda one: one.seconds)


def _pretrained(recipe: Recipe, data: ImageData, size: int) -> Alternative | None:
    """The recipe that fine-tunes a pretrained encoder, if this one trains from scratch on colour images."""
    other = find_recipe("photos", recipe.method)
    if not recipe.name.startswith("folder") or data.channels != 3 or size < _SMALLEST_IMAGE:
        return None
    side = other.data.image_size or size
    config = replace(other.encoder, pretrained=False)  # the weights do not change the speed
    encoder = make_encoder(**asdict(config), channels=3, image_size=side, mean=data.mean, std=data.std)
    seconds = estimate_time(replace(other, hardware=recipe.hardware), data, encoder, side).total
    return Alternative("--recipe photos", f"fine-tunes {other.encoder.name.removeprefix('timm:')}, pretrained", seconds)


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
    if (pretrained := _pretrained(recipe, data, size)) is not None:
        yield pretrained
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
