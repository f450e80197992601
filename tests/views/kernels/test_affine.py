"""Shears, translations and rotations against torchvision, image by image."""

from typing import Any

import pytest
import torch

from references.torchvision_operations import assert_like_torchvision
from supcon.views.kernels.operations import OperationName


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", [(8, 8), (32, 32), (17, 40), (224, 224)])
@pytest.mark.parametrize("name", ["shear-x", "shear-y", "translate-x", "translate-y", "rotate"])
def test_agrees_with_torchvision(
    name: OperationName, size: tuple[int, int], channels: int, dtype: torch.dtype, photos: Any
) -> None:
    images = photos(5, channels, *size)
    assert_like_torchvision(name, images.to(dtype) / 255 if dtype.is_floating_point else images)
