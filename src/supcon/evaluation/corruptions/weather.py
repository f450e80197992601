"""Snow and frost."""

import torch

from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.ice import ICE, ice_texture
from supcon.evaluation.corruptions.levels import Levels, grey, tint, whole
from supcon.evaluation.corruptions.linear_filters import zoomed
from supcon.evaluation.corruptions.motion import streaked
from supcon.evaluation.corruptions.parameters import LARGEST_SMALL_SIDE


def snow(images: Levels, parameters: tuple[float, float, float, float, float, float, float], draws: Draws) -> Levels:
    """Falling flakes, and the same turned upside down, over an image that is whitened."""
    mean, deviation, zoom, threshold, radius, sigma, colour = parameters
    flakes = zoomed(mean + deviation * draws.normal(1, *images.shape[2:]), zoom)
    flakes = whole(255 * torch.where(flakes < threshold, 0, flakes)).float()
    falling = streaked(flakes, radius, sigma, 90 * draws.uniform(1)[:, 0] - 135)
    whitened = images.maximum(1.5 * grey(images) + 127.5)
    return colour * images + (1 - colour) * whitened + falling + falling.flip(2, 3)


def frost(images: Levels, parameters: tuple[float, float], draws: Draws) -> Levels:
    """Ice over the image, a random piece of a texture of ours.

    The published sets lay photographs of ice over the image. Theirs are not part of this package: the weights are
    the published ones, the ice is not, and figures on it are not comparable with those on the published sets.
    """
    height, width = images.shape[-2:]
    ice = ice_texture(min(height, width) <= LARGEST_SMALL_SIDE).to(images.device)
    side = ice.shape[0]
    corner = (draws.uniform(2) * side).long()
    rows = (corner[:, :1] + torch.arange(height, device=images.device)) % side
    columns = (corner[:, 1:] + torch.arange(width, device=images.device)) % side
    piece = ice[rows[:, :, None], columns[:, None, :]][:, None]
    of_image, of_ice = parameters
    return of_image * images + of_ice * piece * tint(ICE, images.shape[1]).to(images.device)
