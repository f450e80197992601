"""Photographs of ice: which are drawn, and how they are resized."""

from pathlib import Path

import numpy as np
import pytest
import torch

from evaluation.corruptions.frost.conftest import FILES
from supcon.evaluation import corrupt, frost_name
from supcon.evaluation.corruptions.frost import ice_photographs


def black(count: int, side: int, channels: int = 3) -> torch.Tensor:
    return torch.zeros(count, channels, side, side, dtype=torch.uint8)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("side", [8, 32, 64, 65, 224])
def test_all_five_photographs_are_drawn_evenly(side: int, channels: int, installed: Path) -> None:
    frosted = corrupt(black(300 if side < 65 else 60, side, channels), "frost", 3, texture="photographs").float()
    assert frosted.flatten(1).std(dim=1).max() < 0.6
    weight = 0.4 if side <= 64 else 0.7
    levels = np.array(sorted(FILES.values())) * weight
    nearest = np.abs(frosted.mean((1, 2, 3)).numpy()[:, None] - levels).argmin(1)
    counts = np.bincount(nearest, minlength=5) / len(nearest)
    assert np.abs(frosted.mean((1, 2, 3)).numpy() - levels[nearest]).max() < 1.5
    assert counts.min() > 0.1


def test_photographs_grow_where_images_are_larger(installed: Path) -> None:
    assert corrupt(black(3, 400), "frost", 2, texture="photographs").shape == (3, 3, 400, 400)


def test_the_real_photographs_are_read() -> None:
    folder = ice_photographs.photographs_folder()
    if folder is None:
        pytest.skip("the package imagecorruptions is not installed")
    ice_photographs._photographs.cache_clear()
    large, small = (ice_photographs._photographs(side, side) for side in (224, 32))
    assert [tuple(one.shape) for one in large] == [
        (3, 600, 900),
        (3, 315, 560),
        (3, 315, 560),
        (3, 350, 527),
        (3, 495, 660),
    ]
    assert [tuple(one.shape) for one in small] == [
        (3, 120, 180),
        (3, 63, 112),
        (3, 63, 112),
        (3, 70, 105),
        (3, 99, 132),
    ]
    assert frost_name("photographs").startswith("photographs of imagecorruptions 1.")
