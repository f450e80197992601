"""Conversion between levels and bytes, and luma."""

import torch
from torchvision.transforms.v2 import functional

from supcon.evaluation.corruptions.levels import grey, tint, whole


def test_levels_are_truncated_and_clipped() -> None:
    assert whole(torch.tensor([-3.0, 0.5, 7.98, 7.9995, 8.0, 255.9, 300.0])).tolist() == [0, 0, 7, 8, 8, 255, 255]


def test_grey_is_the_luma() -> None:
    images = torch.rand(2, 3, 5, 4) * 255
    assert torch.allclose(grey(images), functional.rgb_to_grayscale(images), atol=0.05)
    assert grey(images[:, :1]).shape == (2, 1, 5, 4)
    assert torch.equal(grey(images[:, :1]), images[:, :1])


def test_a_tint_of_grey_images_is_its_luma() -> None:
    assert tint((10.0, 20.0, 30.0), 3).flatten().tolist() == [10, 20, 30]
    assert torch.allclose(tint((10.0, 20.0, 30.0), 1), torch.tensor(0.299 * 10 + 0.587 * 20 + 0.114 * 30))
