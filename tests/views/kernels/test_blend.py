"""Brightness, contrast and saturation of a batch against torchvision, image by image."""

from typing import Any

import pytest
import torch
from torchvision.transforms.v2 import functional

from references.torchvision_operations import assert_like_torchvision
from supcon.views.kernels.blend import Blend, blend
from supcon.views.kernels.operations import OperationName

REFERENCES = {
    Blend.BRIGHTNESS: functional.adjust_brightness,
    Blend.CONTRAST: functional.adjust_contrast,
    Blend.SATURATION: functional.adjust_saturation,
}


@pytest.mark.parametrize("channels", [1, 3])
def test_each_image_gets_its_own_blend_and_factor(channels: int, photos: Any) -> None:
    images = photos(12, channels, 9, 7) / 255
    kinds, factors = torch.arange(12) % 3, torch.linspace(0, 2, 12)
    got = blend(images.flatten(2), kinds, factors).view_as(images)
    for image, view, kind, factor in zip(images, got, kinds.tolist(), factors.tolist(), strict=True):
        assert torch.allclose(view, REFERENCES[Blend(kind)](image, factor), atol=1e-5)


def test_contrast_with_a_given_grey() -> None:
    pixels = torch.tensor([[[10.0, 200.0]]])
    got = blend(pixels, torch.tensor([Blend.CONTRAST]), torch.tensor([0.5]), 255.0, grey=128.0)
    assert got.flatten().tolist() == [69, 164]


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", [(8, 8), (32, 32), (17, 40), (224, 224)])
@pytest.mark.parametrize("name", ["brightness", "contrast", "colour"])
def test_agrees_with_torchvision(
    name: OperationName, size: tuple[int, int], channels: int, dtype: torch.dtype, photos: Any
) -> None:
    images = photos(5, channels, *size)
    assert_like_torchvision(name, images.to(dtype) / 255 if dtype.is_floating_point else images)
