"""Noise that is independent for each value of an image."""

from functools import lru_cache

import torch
from jaxtyping import UInt8
from torch import Tensor

from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.levels import Levels, whole

_STEPS = 1 << 16


def gaussian_noise(images: Levels, deviation: float, draws: Draws) -> Levels:
    """Adds normal noise."""
    return images + 255 * deviation * draws.normal(*images.shape[1:])


def speckle_noise(images: Levels, deviation: float, draws: Draws) -> Levels:
    """Adds normal noise proportional to the level."""
    return images * (1 + deviation * draws.normal(*images.shape[1:]))


def impulse_noise(images: Levels, share: float, draws: Draws) -> Levels:
    """Salt and pepper: a `share` of the values, independently per channel, becomes black or white with equal
    probability."""
    uniform = draws.uniform(*images.shape[1:])
    return images.masked_fill(uniform < share / 2, 0).masked_fill(uniform >= 1 - share / 2, 255)


def shot_noise(images: Levels, photons: int, draws: Draws) -> Levels:
    """Poisson noise, with `photons` expected at full brightness."""
    index = images.to(torch.int32) * _STEPS + draws.steps(*images.shape[1:])
    table = _photon_levels(photons).to(images.device)
    return table.index_select(0, index.flatten()).view(images.shape).float()


@lru_cache(maxsize=5)
def _photon_levels(photons: int) -> UInt8[Tensor, "{256*65536}"]:
    """A table of the noisy level for every level and every one of 65,536 equally likely draws.

    With only 256 levels, all Poisson quantiles can be tabulated, so that a pixel needs one lookup.
    """
    most = int(photons + 12 * photons**0.5 + 12)  # the probability beyond is less than half a step
    counts = torch.arange(most + 1, dtype=torch.float64)
    expected = (torch.arange(256, dtype=torch.float64) * photons / 255)[:, None]
    log_probability = torch.xlogy(counts, expected) - expected - torch.lgamma(counts + 1)
    ends = (log_probability.exp().cumsum(1) * _STEPS).round().to(torch.int64).clamp_max(_STEPS)
    ends[:, -1] = _STEPS
    repeats = ends.diff(dim=1, prepend=torch.zeros(256, 1, dtype=torch.int64))
    levels = whole(counts * 255 / photons).expand(256, -1)
    return levels.flatten().repeat_interleave(repeats.flatten())
