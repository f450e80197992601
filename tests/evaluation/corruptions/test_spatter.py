"""Drops of water and splashes of mud."""

import pytest
import torch
from torch import Tensor

from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.spatter import _equalized, _shine, spatter


def blobs(side: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    rough = torch.nn.functional.interpolate(torch.rand(2, 1, 6, 6, generator=generator), size=(side, side))[:, 0]
    noise = torch.rand(2, side, side, generator=generator)
    return ((rough * 0.8 + noise * 0.2) * 255).floor() * (rough > 0.5)


def test_equalizing_spreads_the_levels_that_occur() -> None:
    layer = torch.tensor([[[3.0, 3.0, 5.0, 5.0, 5.0, 20.0]]])
    assert _equalized(layer).flatten().tolist() == [0, 0, 191, 191, 191, 255]
    assert _equalized(torch.full((1, 2, 2), 9.0)).flatten().tolist() == [9, 9, 9, 9]


def test_water_shines_at_most_fully_and_a_dry_lens_not_at_all() -> None:
    found = _shine(torch.cat([blobs(24), torch.zeros(1, 24, 24)]))
    assert found[:2].amax((1, 2)).tolist() == [1, 1]
    assert (found[2] == 0).all()


@pytest.mark.parametrize("channels", [1, 3])
def test_mud_is_opaque_and_water_only_brightens(channels: int) -> None:
    images = torch.full((3, channels, 40, 40), 100.0)
    draws = [Draws("spatter", 0, torch.arange(3)) for _ in range(2)]
    wet = spatter(images, (0.65, 0.3, 2, 0.68, 0.5, 0), draws[0])
    muddy = spatter(images, (0.65, 0.3, 1, 0.65, 1.5, 1), draws[1])
    assert bool((wet >= images).all())
    assert bool((wet > images).any())
    brown = torch.tensor([63.0, 42.0, 20.0] if channels == 3 else [0.299 * 63 + 0.587 * 42 + 0.114 * 20])
    assert torch.allclose(muddy.amin((0, 2, 3)), brown, atol=0.5)
    assert bool((muddy <= images).all())
