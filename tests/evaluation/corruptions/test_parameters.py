"""The published parameters."""

import pytest
import torch

from supcon.evaluation import CORRUPTIONS, EXTRA_CORRUPTIONS, corrupt
from supcon.evaluation.corruptions.parameters import LARGE, SMALL, published_parameters

ALL = CORRUPTIONS + EXTRA_CORRUPTIONS


def test_the_table_has_five_severities_of_everything() -> None:
    assert len(CORRUPTIONS) == 15
    assert len(EXTRA_CORRUPTIONS) == 4
    for table in (LARGE, SMALL):
        assert set(table) == set(ALL)
        assert all(len(row) == 5 for row in table.values())


def test_small_and_large_images_have_their_own_parameters() -> None:
    grey = [torch.full((1, 1, side, side), 128, dtype=torch.uint8) for side in (64, 65)]
    small, large = (corrupt(images, "gaussian_noise", 3).double().std().item() for images in grey)
    assert small == pytest.approx(0.08 * 255, rel=0.05)
    assert large == pytest.approx(0.18 * 255, rel=0.05)


def test_lengths_of_the_elastic_transform_grow_with_the_image() -> None:
    small, double = (published_parameters("elastic_transform", 2, side, 2 * side) for side in (32, 64))
    assert double == pytest.approx([2 * value for value in small])
    assert published_parameters("snow", 1, 64, 300) == SMALL["snow"][0]
    assert published_parameters("snow", 5, 65, 300) == LARGE["snow"][4]
