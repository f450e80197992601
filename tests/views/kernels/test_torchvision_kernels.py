"""Conversions between tensors and PIL images, and the torchvision operations on single images."""

from typing import Any

import pytest
import torch

from supcon.views.kernels.torchvision_kernels import from_pil, to_pil


@pytest.mark.parametrize("channels", [1, 3])
def test_pil_round_trip(channels: int, photos: Any) -> None:
    image = photos(1, channels, 9, 7)[0]
    assert torch.equal(from_pil(to_pil(image)), image)
