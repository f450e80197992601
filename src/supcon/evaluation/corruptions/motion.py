"""Motion blur, with a direction for every image, as in ImageMagick, which made the published sets."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.levels import Levels

_LEAST_WEIGHT = 1e-5


def motion_blur(images: Levels, parameters: tuple[float, float], draws: Draws) -> Levels:
    """A camera that moves in a direction between -45 and 45 degrees."""
    angles = 90 * draws.uniform(1)[:, 0] - 45
    return streaked(images, *parameters, angles)


def streaked(images: Levels, radius: float, sigma: float, angles: Float[Tensor, "batch"]) -> Levels:
    """The weighted sum of the image shifted by 0 to 2 `radius` whole pixels, with half a Gaussian as weights, rounded.

    Images are sorted by direction, so that those with the same shift are adjacent and are added together. Shifts with a
    weight below 1e-5 are not visible and are skipped.
    """
    order = angles.argsort()
    radians = torch.deg2rad(angles[order].double())
    weights = line_weights(radius, sigma)
    steps = torch.arange(len(weights), device=images.device)[:, None]
    right, down = ((steps * part - 0.5).ceil().long() for part in (radians.cos(), radians.sin()))
    before = [max(0, -int(part.min())) for part in (right, down)]
    after = [max(0, int(part.max())) for part in (right, down)]
    padded = F.pad(images[order], (before[0], after[0], before[1], after[1]), mode="replicate")
    total = torch.zeros_like(images)
    for weight, *offsets in zip(weights, right + before[0], down + before[1], strict=True):
        _add_moved(total, padded, weight, torch.stack(offsets))
    return total[order.argsort()].round()


def _add_moved(total: Tensor, padded: Tensor, weight: float, offsets: Tensor) -> None:
    """Adds every image moved by its (right, down); runs of images with the same move are one slice."""
    height, width = total.shape[-2:]
    moves, counts = offsets.unique_consecutive(dim=1, return_counts=True)
    start = 0
    for (right, down), count in zip(moves.T.tolist(), counts.tolist(), strict=True):
        moved = padded[start : start + count, :, down : down + height, right : right + width]
        total[start : start + count].add_(moved, alpha=weight)
        start += count


def line_weights(radius: float, sigma: float) -> list[float]:
    """Half a Gaussian over 2 `radius` + 1 pixels with sum 1, without weights below 1e-5.

    >>> [round(weight, 3) for weight in line_weights(6, 0.5)]
    [0.881, 0.119, 0.0]
    """
    values = [math.exp(-0.5 * (step / sigma) ** 2) for step in range(2 * math.ceil(radius) + 1)]
    return [value / sum(values) for value in values if value / sum(values) >= _LEAST_WEIGHT]
