"""Operations on single pixel values against torchvision, image by image."""

from typing import Any

import pytest
import torch

from references.torchvision_operations import apply, assert_like_torchvision
from supcon.views.kernels.operations import OperationName


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", [(8, 8), (32, 32), (17, 40), (224, 224)])
@pytest.mark.parametrize("name", ["posterize", "solarize", "autocontrast", "equalize", "invert"])
def test_agrees_with_torchvision(
    name: OperationName, size: tuple[int, int], channels: int, dtype: torch.dtype, photos: Any
) -> None:
    images = photos(5, channels, *size)
    assert_like_torchvision(name, images.to(dtype) / 255 if dtype.is_floating_point else images)


def test_solarize_add_matches_the_definition(photos: Any) -> None:
    images = photos(3, 3, 16, 16)
    wide = images.int()
    expected = torch.where(wide < 128, (wide + 66).clamp(max=255), wide).to(torch.uint8)
    assert torch.equal(apply("solarize-add", images, [66.0] * 3), expected)
    floats = apply("solarize-add", images / 255, [66.0] * 3)
    assert torch.allclose(floats, expected / 255, atol=1e-6)


def test_flat_images_survive_statistics(photos: Any) -> None:
    flat = torch.full((2, 3, 8, 8), 77, dtype=torch.uint8)
    for name in ("autocontrast", "equalize"):
        assert torch.equal(apply(name, flat, [0.0, 0.0]), flat)
