"""Corrupts images on the fly: the 15 corruptions of ImageNet-C and its 4 extra ones."""

from collections.abc import Callable
from typing import Any, Literal

import torch
from jaxtyping import Int
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.base.shapes import Images
from supcon.evaluation.corruptions import (
    blurs,
    colour,
    digital,
    elastic,
    glass,
    motion,
    noise,
    plasma,
    snow,
    spatter,
)
from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.frost.frost import frost, frost_texture
from supcon.evaluation.corruptions.levels import Levels, whole
from supcon.evaluation.corruptions.parameters import (
    CORRUPTIONS,
    EXTRA_CORRUPTIONS,
    FrostTexture,
    published_parameters,
)

_VALUES_AT_ONCE = 1 << 19
_SMALLEST_SIDE = 4

_DETERMINISTIC: dict[str, Callable[[Levels, Any], Levels]] = {
    "defocus_blur": blurs.defocus_blur,
    "zoom_blur": blurs.zoom_blur,
    "brightness": colour.brightness,
    "contrast": colour.contrast,
    "pixelate": digital.pixelate,
    "jpeg_compression": digital.jpeg_compression,
    "gaussian_blur": blurs.gaussian_blur,
    "saturate": colour.saturate,
}
_RANDOM: dict[str, Callable[[Levels, Any, Draws], Levels]] = {
    "gaussian_noise": noise.gaussian_noise,
    "shot_noise": noise.shot_noise,
    "impulse_noise": noise.impulse_noise,
    "glass_blur": glass.glass_blur,
    "motion_blur": motion.motion_blur,
    "snow": snow.snow,
    "fog": plasma.fog,
    "elastic_transform": elastic.elastic_transform,
    "speckle_noise": noise.speckle_noise,
    "spatter": spatter.spatter,
}


@torch.inference_mode()
def corrupt(
    images: Images,
    name: str,
    severity: int,
    seed: int = 0,
    *,
    indices: Int[Tensor, "batch"] | None = None,
    texture: FrostTexture | Literal["auto"] = "auto",
) -> Images:
    """Applies a corruption of `severity` 1 to 5 with the published parameters; severity 0 returns a copy of the images.

    The random numbers of an image depend only on `seed`, the corruption and the image's index in its data set, which is
    its position in the batch unless `indices` are given. A corrupted set is therefore the same for every batch size.
    All severities of an image use the same random numbers. For grey images (one channel), coloured layers such as water
    are replaced by their luma.

    `texture` is the ice of frost: "photographs" of the published sets, which need the package `imagecorruptions`, or
    supcon's "own"; "auto" uses the photographs if they are installed, so the set may differ between machines.

    >>> corrupt(torch.full((1, 1, 8, 8), 100, dtype=torch.uint8), "brightness", 2)[0, 0, 0, 0].item()
    125
    """
    check_batch(images)
    _check(images, name, severity)
    if severity == 0 or len(images) == 0:
        return images.clone()
    ice = frost_texture(texture) if name == "frost" else "own"
    indices = torch.arange(len(images)) if indices is None else indices
    indices = indices.to(images.device)
    changed = torch.empty_like(images)
    # Chunks that fit into the CPU cache are several times faster than a whole data set at once.
    size = max(1, _VALUES_AT_ONCE // images[0].numel())
    for start in range(0, len(images), size):
        piece = slice(start, start + size)
        changed[piece] = whole(_change(images[piece].float(), name, severity, Draws(name, seed, indices[piece]), ice))
    return changed


def _change(images: Levels, name: str, severity: int, draws: Draws, ice: FrostTexture) -> Levels:
    parameters = published_parameters(name, severity, *images.shape[2:])
    if name in _DETERMINISTIC:
        return _DETERMINISTIC[name](images, parameters)
    if name == "frost":
        return frost(images, parameters, draws, ice)
    return _RANDOM[name](images, parameters, draws)


def check_batch(images: object) -> None:
    """Raises an error for what is no uint8 batch."""
    if not isinstance(images, Tensor) or images.ndim != 4 or images.dtype != torch.uint8:
        raise RequestError(
            f"Images must be a uint8 tensor [batch, channel, height, width] to be corrupted, got {_kind(images)}; "
            "a single image becomes a batch with image[None], numbers from 0 to 1 uint8 with (255 * images).byte()."
        )


def _check(images: Images, name: str, severity: int) -> None:
    channels, height, width = images.shape[1:]
    known = CORRUPTIONS + EXTRA_CORRUPTIONS
    if name not in known:
        raise RequestError(f"There is no corruption {name!r}; choose one of {', '.join(known)}.")
    if severity not in range(6):
        raise RequestError(f"The severity must be an integer from 0 to 5, got {severity}.")
    if channels not in (1, 3):
        raise RequestError(f"Images must have 1 or 3 channels to be corrupted, got {channels}; convert them first.")
    if min(height, width) < _SMALLEST_SIDE:
        raise RequestError(
            f"Images must be at least {_SMALLEST_SIDE} pixels high and wide to be corrupted, got {height}x{width}; "
            "give larger ones."
        )


def _kind(images: object) -> str:
    return f"{images.dtype} {list(images.shape)}" if isinstance(images, Tensor) else type(images).__name__
