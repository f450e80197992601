"""Snow corruption."""

import torch

from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.levels import Levels, grey, whole
from supcon.evaluation.corruptions.linear_filters import zoomed
from supcon.evaluation.corruptions.motion import streaked


def snow(images: Levels, parameters: tuple[float, float, float, float, float, float, float], draws: Draws) -> Levels:
    """Whitens the image and adds blurred flakes, and the same flakes rotated by 180 degrees."""
    mean, deviation, zoom, threshold, radius, sigma, colour = parameters
    flakes = zoomed(mean + deviation * draws.normal(1, *images.shape[2:]), zoom)
    flakes = whole(255 * torch.where(flakes < threshold, 0, flakes)).float()
    falling = streaked(flakes, radius, sigma, 90 * draws.uniform(1)[:, 0] - 135)
    whitened = images.maximum(1.5 * grey(images) + 127.5)
    return colour * images + (1 - colour) * whitened + falling + falling.flip(2, 3)
