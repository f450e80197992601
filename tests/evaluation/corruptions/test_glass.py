"""Glass blur against the usual implementation, and its chains of copied pixels against a loop."""

import pytest
import torch

from references.usual_corruptions import CASES, GREY, assert_like_the_usual
from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.glass import moved_from


@pytest.mark.parametrize(("count", "size", "channels", "severity"), [*CASES, GREY])
@pytest.mark.parametrize("name", ["glass_blur"])
def test_agrees_with_the_usual_implementation(
    name: str, count: int, size: tuple[int, int], channels: int, severity: int
) -> None:
    assert_like_the_usual(name, count, size, channels, severity)


@pytest.mark.parametrize("reach", [1, 2, 4])
def test_pixels_are_copied_as_in_the_published_loop(reach: int) -> None:
    height, width = 14, 11
    found = moved_from(height, width, reach, Draws("glass_blur", 0, torch.arange(3)))
    offsets = (Draws("glass_blur", 0, torch.arange(3)).uniform(2, height * width) * (2 * reach)).long() - reach
    for image in range(3):
        pixels = list(range(height * width))
        for y in range(height - reach, reach, -1):
            for x in range(width - reach, reach, -1):
                place = y * width + x
                if y < height and x < width:
                    down, right = offsets[image, :, place].tolist()
                    pixels[place] = pixels[(y + down) * width + x + right]
        assert found[image].tolist() == pixels
