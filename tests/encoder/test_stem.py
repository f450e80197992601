"""The stem that fits the image size."""

from typing import Any

import pytest
from torch import nn

from supcon.encoder.resnet import resnet


@pytest.mark.parametrize(
    ("image_size", "stem", "small"),
    [(40, "auto", True), (41, "auto", False), (224, "small", True), (32, "imagenet", False), (8, "auto", True)],
)
def test_the_stem_fits_the_image_size(image_size: int, stem: Any, small: bool) -> None:
    network: Any = resnet("resnet18", 3, image_size, stem)
    assert network.conv1.kernel_size == ((3, 3) if small else (7, 7))
    assert network.conv1.stride == ((1, 1) if small else (2, 2))
    assert isinstance(network.maxpool, nn.Identity if small else nn.MaxPool2d)
