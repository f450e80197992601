"""Luma against torchvision's conversion to grey."""

from typing import Any

import torch
from torchvision.transforms.v2 import functional

from supcon.views.kernels.luma import luma, luma_weights


def test_luma_is_torchvisions_grey(photos: Any) -> None:
    images = photos(3, 3, 6, 5) / 255
    before = images.clone()
    assert torch.allclose(luma(images), functional.rgb_to_grayscale(images)[:, 0], atol=1e-6)
    assert torch.equal(images, before)
    weighted = (images * luma_weights(images).view(1, 3, 1, 1)).sum(1)
    assert torch.allclose(weighted, luma(images), atol=1e-6)


def test_a_single_channel_is_its_own_luma(photos: Any) -> None:
    images = photos(2, 1, 4, 4) / 255
    assert torch.equal(luma(images), images[:, 0])
    assert luma_weights(images).tolist() == [1]
