"""supcon's own ice texture for `frost`, used if the photographs of the published sets are not installed."""

from functools import lru_cache

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.levels import Levels, tint
from supcon.evaluation.corruptions.parameters import LARGEST_SMALL_SIDE
from supcon.evaluation.corruptions.plasma import plasma

_COLOUR = (0.90, 1.03, 1.10)
"""Red, green and blue of the photographs' mean (146, 167, 179), for a brightness of 1."""

_BRIGHTNESS = (100.0, 224.0)
"""Mean brightness of a crop, drawn uniformly; mean and deviation are those of the five photographs (162 and 36)."""

_CONTRAST = 30.0
"""Standard deviation of the levels within the texture; the photographs have 22 to 44."""

_SIDE = 512
_CRYSTALS = 160


def own_ice(images: Levels, draws: Draws) -> Levels:
    """A random crop of the texture for every image, with a random brightness like that of the photographs.

    The mean change of an image equals that of the photographs at every severity; the appearance differs.
    """
    channels, height, width = images.shape[1:]
    texture = ice_texture(min(height, width) <= LARGEST_SMALL_SIDE).to(images.device)
    side = texture.shape[0]
    corner = (draws.uniform(2) * side).long()
    rows = (corner[:, :1] + torch.arange(height, device=images.device)) % side
    columns = (corner[:, 1:] + torch.arange(width, device=images.device)) % side
    piece = texture[rows[:, :, None], columns[:, None, :]][:, None]
    low, high = _BRIGHTNESS
    brightness = (low + (high - low) * draws.uniform(1)).view(-1, 1, 1, 1)
    return ((brightness + _CONTRAST * piece) * tint(_COLOUR, channels).to(images.device)).clamp(0, 255)


@lru_cache(maxsize=2)
def ice_texture(small: bool) -> Float[Tensor, "side side"]:
    """The texture, with mean 0 and standard deviation 1: crystals of different brightness with bright, rough borders.

    It is periodic, so crops can wrap around. For small images it is downsized to a quarter; the published photographs
    are downsized to a fifth.
    """
    rough = plasma(Draws("ice", 0, torch.arange(3)), _SIDE, decay=1.35)
    border, facet = _crystals(24 * (rough[1:] - 0.5))
    texture = 0.1 + 0.35 * rough[0] + 0.3 * facet + 0.5 * (-border / 3).exp()
    texture = F.avg_pool2d(texture[None], 4)[0] if small else texture
    return (texture - texture.mean()) / texture.std()


def _crystals(warp: Float[Tensor, "2 side side"]) -> Float[Tensor, "2 side side"]:
    """For every pixel, displaced by `warp`: its distance from the border of its crystal, and the crystal's brightness.

    A crystal is the set of pixels nearest to one of several random points (Worley, 1996). Computed with numpy, because
    the more than a thousand synchronizations of torch's threads take seconds on a busy machine.
    """
    points = Draws("crystals", 0, torch.arange(1)).uniform(_CRYSTALS, 3)[0].tolist()
    y, x = np.mgrid[:_SIDE, :_SIDE].astype(np.float32) + warp.numpy()
    nearest, second = np.full((2, _SIDE, _SIDE), _SIDE, dtype=np.float32)
    facet = np.zeros_like(nearest)
    for across, down, thickness in points:
        distance = np.hypot(_around(x - _SIDE * across), _around(y - _SIDE * down))
        facet[distance < nearest] = thickness
        second = np.minimum(second, np.maximum(nearest, distance))
        nearest = np.minimum(nearest, distance)
    return torch.from_numpy(np.stack([second - nearest, facet]))


def _around(distances: NDArray[np.float32]) -> NDArray[np.float32]:
    """Distances on a periodic axis."""
    wrapped: NDArray[np.float32] = distances - _SIDE * np.rint(distances / _SIDE)
    return wrapped
