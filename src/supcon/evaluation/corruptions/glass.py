"""Glass blur: pixels are replaced by random neighbours."""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.levels import Levels, whole
from supcon.evaluation.corruptions.linear_filters import gaussian


def glass_blur(images: Levels, parameters: tuple[float, int, int], draws: Draws) -> Levels:
    """Blurs, moves pixels by up to `reach` in `rounds` rounds, and blurs again."""
    sigma, reach, rounds = parameters
    height, width = images.shape[-2:]
    source = torch.arange(height * width, device=images.device).expand(len(images), -1)
    for _ in range(rounds):
        source = source.gather(1, moved_from(height, width, reach, draws))
    pixels = whole(gaussian(images, sigma)).float().flatten(2)
    moved = pixels.gather(2, source[:, None].expand(-1, images.shape[1], -1))
    return gaussian(moved.view(images.shape), sigma)


def moved_from(height: int, width: int, reach: int, draws: Draws) -> Int[Tensor, "batch {height*width}"]:
    """The source index of every pixel after one round.

    The published loop goes from the last pixel to the first and is meant to swap each with a random neighbour; on
    colour images numpy's views make it copy the neighbour instead, and the published sets have this behaviour. A
    neighbour that was processed before already holds a copy, so a pixel's source is the end of a chain of neighbours;
    all chains of all images are followed at once by pointer doubling.
    """
    offsets = (draws.uniform(2, height * width) * (2 * reach)).long() - reach
    moves = _moves(height, width, reach).to(offsets.device)
    place = torch.arange(height * width, device=offsets.device)
    target = torch.where(moves, place + offsets[:, 0] * width + offsets[:, 1], place)
    on_the_way = moves[target] & (target > place)
    while on_the_way.any():
        further = on_the_way.gather(1, target)
        target = torch.where(on_the_way, target.gather(1, target), target)
        on_the_way = on_the_way & further
    return target


def _moves(height: int, width: int, reach: int) -> Bool[Tensor, "{height*width}"]:
    """The pixels that are processed: those whose neighbours are all inside the image."""
    down, across = ((torch.arange(size) > reach) & (torch.arange(size) <= size - reach) for size in (height, width))
    return (down[:, None] & across).flatten()
