"""Brightness, contrast and saturation against the usual implementation."""

import pytest
import torch

from references.usual_corruptions import CASES, GREY, assert_like_the_usual
from supcon.evaluation.corruptions.colour import saturate


@pytest.mark.parametrize(("count", "size", "channels", "severity"), CASES)
@pytest.mark.parametrize("name", ["brightness", "contrast", "saturate"])
def test_agrees_with_the_usual_implementation(
    name: str, count: int, size: tuple[int, int], channels: int, severity: int
) -> None:
    assert_like_the_usual(name, count, size, channels, severity)


@pytest.mark.parametrize("name", ["brightness", "contrast"])
def test_grey_images_agree_too(name: str) -> None:
    assert_like_the_usual(name, *GREY)


def test_grey_images_have_no_saturation() -> None:
    images = torch.rand(2, 1, 4, 4) * 255
    assert torch.equal(saturate(images, (5, 0.1)), images)
