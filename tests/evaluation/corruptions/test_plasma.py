"""Fog against the usual implementation, and the properties of its clouds."""

import pytest
import torch

from references.usual_corruptions import CASES, GREY, assert_like_the_usual
from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.plasma import fog, plasma


@pytest.mark.parametrize(("count", "size", "channels", "severity"), [*CASES, GREY])
@pytest.mark.parametrize("name", ["fog"])
def test_agrees_with_the_usual_implementation(
    name: str, count: int, size: tuple[int, int], channels: int, severity: int
) -> None:
    assert_like_the_usual(name, count, size, channels, severity)


def test_clouds_fill_0_to_1_and_get_smoother_with_the_decay() -> None:
    rough, smooth = (plasma(Draws("fog", 0, torch.arange(4)), 64, decay) for decay in (1.2, 3.0))
    for clouds in (rough, smooth):
        assert clouds.shape == (4, 64, 64)
        assert clouds.amin((1, 2)).tolist() == [0] * 4
        assert clouds.amax((1, 2)).tolist() == [1] * 4
    assert smooth.diff(dim=2).abs().mean() < rough.diff(dim=2).abs().mean() / 2


def test_clouds_repeat_without_a_seam() -> None:
    clouds = plasma(Draws("fog", 1, torch.arange(4)), 32, 2.0)
    seam = (clouds[:, :, 0] - clouds[:, :, -1]).abs().mean()
    assert seam < 2 * clouds.diff(dim=2).abs().mean()


def test_the_brightest_level_is_not_exceeded() -> None:
    images = torch.rand(3, 3, 16, 20) * 200
    foggy = fog(images, (1.5, 2), Draws("fog", 0, torch.arange(3)))
    assert bool((foggy.amax((1, 2, 3)) <= images.amax((1, 2, 3)) + 1e-3).all())
