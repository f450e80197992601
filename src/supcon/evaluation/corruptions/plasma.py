"""Plasma: clouds by midpoint displacement, and the fog made of them."""

from jaxtyping import Float
from torch import Tensor

from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.levels import Levels


def fog(images: Levels, parameters: tuple[float, float], draws: Draws) -> Levels:
    """Adds clouds, then darkens so that the image's brightest level stays the brightest."""
    thickness, decay = parameters
    height, width = images.shape[-2:]
    side = 1 << (max(height, width) - 1).bit_length()
    clouds = plasma(draws, side, decay)[:, None, :height, :width]
    brightest = images.amax((1, 2, 3), keepdim=True)
    return (images + 255 * thickness * clouds) * (brightest / (brightest + 255 * thickness))


def plasma(draws: Draws, side: int, decay: float) -> Float[Tensor, "batch {side} {side}"]:
    """The diamond-square algorithm on a periodic square, scaled to 0..1; `side` is a power of two.

    Each level computes the points half-way between the known ones as the mean of their four neighbours plus a random
    shift. The shifts are divided by decay² from one level to the next, because the published code applies the decay
    twice.
    """
    heights = 2 * draws.uniform(side, side) - 1
    heights[:, 0, 0] = 0
    step, reach = side, 1.0
    while step >= 2:
        _fill_level(heights, step, reach)
        step, reach = step // 2, reach / decay**2
    low, high = heights.amin((1, 2), keepdim=True), heights.amax((1, 2), keepdim=True)
    return (heights - low) / (high - low)


def _fill_level(heights: Float[Tensor, "batch side side"], step: int, reach: float) -> None:
    """Replaces the random numbers at the half-way points by their heights, in place."""
    half = step // 2
    corners, centres = heights[:, ::step, ::step], heights[:, half::step, half::step]
    above, left = heights[:, ::step, half::step], heights[:, half::step, ::step]
    pairs = corners + corners.roll(-1, 2)
    centres.mul_(reach).add_(pairs + pairs.roll(-1, 1), alpha=0.25)
    above.mul_(reach).add_(pairs + centres + centres.roll(1, 1), alpha=0.25)
    left.mul_(reach).add_(corners + corners.roll(-1, 1) + centres + centres.roll(1, 2), alpha=0.25)
