"""Conversion to grey against torchvision."""

from typing import Any

import pytest
import torch
from torchvision.transforms.v2 import functional

from supcon.views.steps.grey import GreyStep


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_grey_is_the_luma_in_every_channel(dtype: torch.dtype, photos: Any) -> None:
    images = photos(200, 3, 16, 16).to(dtype) / 255
    step = GreyStep(0.3)
    drawn = step.parameters(torch.rand(200, 1, generator=torch.Generator().manual_seed(0)), 16, 16)
    assert int(drawn.active.sum()) == pytest.approx(60, abs=25)
    got = step.apply(images.clone(), drawn)
    expected = functional.rgb_to_grayscale(images, 3)
    assert torch.allclose(got[drawn.active], expected[drawn.active], atol=1e-6)
    assert torch.equal(got[~drawn.active], images[~drawn.active])


def test_grey_images_do_not_change(photos: Any) -> None:
    images, grey = photos(20, 1, 16, 16) / 255, GreyStep(1.0)
    assert torch.equal(grey.apply(images.clone(), grey.parameters(torch.zeros(20, 1), 16, 16)), images)


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match=r"grey_probability must be between 0 and 1"):
        GreyStep(1.5)
