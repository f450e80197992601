"""Moves with mirrored borders against a loop over pixels; `test_published_operations` compares with TensorFlow's."""

import math
from typing import Any

import pytest
import torch

from supcon.views.kernels.operations import NAMES
from supcon.views.kernels.reflecting_affine import move_reflecting, nearest_reflected


def mirrored(index: int, length: int) -> int:
    """d c b a | a b c d | d c b a"""
    index %= 2 * length
    return index if index < length else 2 * length - 1 - index


def source(name: str, strength: float, row: int, column: int, size: tuple[int, int]) -> tuple[float, float]:
    """Where the pixel at (row, column) comes from, from the operations' definitions."""
    height, width = size
    if name.startswith("translate"):
        return row + (strength * height if name == "translate-y" else 0), column + (
            strength * width if name == "translate-x" else 0
        )
    if name.startswith("shear"):
        return row + (strength * column if name == "shear-y" else 0), column + (
            strength * row if name == "shear-x" else 0
        )
    cosine, sine = math.cos(math.radians(strength)), math.sin(math.radians(strength))
    down, right = row - (height - 1) / 2, column - (width - 1) / 2
    return sine * right + cosine * down + (height - 1) / 2, cosine * right - sine * down + (width - 1) / 2


@pytest.mark.parametrize(
    ("name", "strength"),
    [
        ("shear-x", 0.31), ("shear-y", -0.23), ("translate-x", 0.26), ("translate-y", -1.3), ("rotate", 27.0),
        ("rotate", 0.0),
    ],
)  # fmt: skip
def test_pixels_come_from_where_the_definition_says(name: Any, strength: float, photos: Any) -> None:
    height, width = 11, 13
    image = photos(1, 3, height, width)
    moved = move_reflecting(image, torch.tensor([NAMES.index(name)]), torch.tensor([strength]))
    for row in range(height):
        for column in range(width):
            down, right = source(name, strength, row, column, (height, width))
            y, x = mirrored(math.floor(down + 0.5), height), mirrored(math.floor(right + 0.5), width)
            assert torch.equal(moved[0, :, row, column], image[0, :, y, x]), (row, column)


def test_half_way_coordinates_round_up_inside_and_down_outside() -> None:
    places = torch.tensor([-1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4.5])
    assert nearest_reflected(places, 4).tolist() == [1, 0, 1, 2, 3, 3, 3]
