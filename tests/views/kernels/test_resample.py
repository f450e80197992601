"""Resampling weights against torchvision's crop, resize and blur."""

from typing import Any

import pytest
import torch
from torchvision.transforms.v2 import functional

from supcon.views.kernels.resample import blur_weights, crop_weights, resample


@pytest.mark.parametrize("size", [5, 12, 40])
def test_crops_are_resized_as_by_torchvision(size: int, photos: Any) -> None:
    images = photos(4, 3, 24, 20).double() / 255
    top, left = torch.tensor([0, 3, 10, 5]), torch.tensor([2, 0, 4, 13])
    height, width = torch.tensor([24, 7, 9, 19]), torch.tensor([18, 20, 3, 7])
    mirrored = torch.tensor([False, True, False, True])
    rows = crop_weights(top, height, 24, size)
    columns = crop_weights(left, width, 20, size, mirrored)
    got = resample(images, rows, columns)
    for i, image in enumerate(images):
        box = [int(part[i]) for part in (top, left, height, width)]
        expected = functional.resized_crop(image, *box, [size, size], antialias=True)
        expected = expected.flip(-1) if mirrored[i] else expected
        assert torch.allclose(got[i], expected, atol=1e-5)


def test_blurs_are_torchvisions_and_zero_padding_loses_weight_at_the_border(photos: Any) -> None:
    images, sigma = photos(2, 1, 15, 15).double() / 255, torch.tensor([0.4, 1.7])
    weights = blur_weights(sigma, 15, 2)
    got = resample(images, weights, weights)
    for image, blurred, s in zip(images, got, sigma.tolist(), strict=True):
        assert torch.allclose(blurred, functional.gaussian_blur(image, [5, 5], [s, s]), atol=1e-5)
    sums = blur_weights(sigma, 15, 2, mirrored=False).sum(2)
    assert torch.allclose(sums[:, 2:-2], torch.ones(2, 11))
    assert bool((sums[:, [0, -1]] < 1).all())
