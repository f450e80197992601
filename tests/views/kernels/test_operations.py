"""Names and strengths of the operations of AutoAugment and RandAugment."""

from typing import Any

import pytest
import torch

from references.torchvision_operations import assert_like_torchvision
from supcon.views.kernels.operations import OperationName, describe_operation, torchvision_operation


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", [(8, 8), (32, 32), (17, 40), (224, 224)])
@pytest.mark.parametrize("name", ["identity"])
def test_agrees_with_torchvision(
    name: OperationName, size: tuple[int, int], channels: int, dtype: torch.dtype, photos: Any
) -> None:
    images = photos(5, channels, *size)
    assert_like_torchvision(name, images.to(dtype) / 255 if dtype.is_floating_point else images)


@pytest.mark.parametrize(
    ("name", "strength", "words"),
    [
        ("shear-x", -0.3, "shear-x -0.30"),
        ("translate-y", 0.25, "translate-y 25 %"),
        ("rotate", 27.0, "rotate +27°"),
        ("colour", 1.72, "colour x 1.72"),
        ("posterize", 3.0, "posterize 3 bits"),
        ("solarize", 128.0, "solarize from 128"),
        ("solarize-add", 99.0, "solarize-add +99"),
        ("equalize", 0.0, "equalize"),
        ("cutout", 0.16, "cutout 16 %"),
    ],
)
def test_describe(name: OperationName, strength: float, words: str) -> None:
    assert describe_operation(name, strength) == words


def test_half_of_torchvisions_strength() -> None:
    assert torchvision_operation("posterize", 0.5).centre == 6
    assert torchvision_operation("solarize", 0.5).centre == 127.5
