"""Noise against the usual implementation, and shot noise against the Poisson distribution."""

import math

import pytest
import torch
from scipy.stats import poisson

from references.usual_corruptions import CASES, GREY, assert_like_the_usual
from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.noise import _photon_levels, shot_noise


@pytest.mark.parametrize(("count", "size", "channels", "severity"), [*CASES, GREY])
@pytest.mark.parametrize("name", ["gaussian_noise", "impulse_noise", "speckle_noise"])
def test_agrees_with_the_usual_implementation(
    name: str, count: int, size: tuple[int, int], channels: int, severity: int
) -> None:
    assert_like_the_usual(name, count, size, channels, severity)


@pytest.mark.parametrize("photons", [3, 12, 500])
@pytest.mark.parametrize("level", [0, 1, 40, 255])
def test_shot_noise_is_poisson(photons: int, level: int) -> None:
    table = _photon_levels(photons).view(256, 65_536)[level]
    counts = range(3 * photons)
    for bound in range(0, 256, 15):
        most = max(count for count in counts if int(count * 255 / photons + 1e-3) <= bound)
        share = poisson.cdf(most, level / 255 * photons) if bound < 255 else 1.0
        assert (table <= bound).double().mean().item() == pytest.approx(share, abs=1 / 65_536)


def test_shot_noise_keeps_black_and_the_mean() -> None:
    images = torch.cat([torch.zeros(20, 1, 16, 16), torch.full((20, 1, 16, 16), 100.0)])
    found = shot_noise(images, 60, Draws("shot_noise", 0, torch.arange(40)))
    assert (found[:20] == 0).all()
    # Levels are cut off, which costs half a level on average.
    assert found[20:].mean().item() == pytest.approx(99.5, abs=1)
    assert found[20:].std().item() == pytest.approx(255 * math.sqrt(100 / 255 / 60), rel=0.05)
