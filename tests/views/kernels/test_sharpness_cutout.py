"""Sharpness against torchvision, cutout against its definition."""

from typing import Any

import pytest
import torch

from references.torchvision_operations import apply, assert_like_torchvision
from supcon.views.kernels.operations import OperationName


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", [(8, 8), (32, 32), (17, 40), (224, 224)])
@pytest.mark.parametrize("name", ["sharpness"])
def test_agrees_with_torchvision(
    name: OperationName, size: tuple[int, int], channels: int, dtype: torch.dtype, photos: Any
) -> None:
    images = photos(5, channels, *size)
    assert_like_torchvision(name, images.to(dtype) / 255 if dtype.is_floating_point else images)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
def test_cutout_covers_a_square_cut_at_the_border(dtype: torch.dtype) -> None:
    images = torch.ones(2, 3, 20, 30, dtype=dtype)
    covered = apply("cutout", images, [0.2, 0.2], place=0.0) == 0
    # 0.2 of the side to each side, half of it beyond the border.
    assert covered[:, :, :4, :6].all()
    assert int(covered.sum()) == 2 * 3 * 4 * 6
    middle = apply("cutout", images, [0.1, 0.0], place=0.5)
    assert int((middle[0] == 0).sum()) == 3 * 4 * 6
    assert int((middle[1] == 0).sum()) == 0


def test_images_smaller_than_the_sharpening_kernel_stay(photos: Any) -> None:
    images = photos(2, 3, 2, 2)
    assert torch.equal(apply("sharpness", images, [1.9, 0.1]), images)
