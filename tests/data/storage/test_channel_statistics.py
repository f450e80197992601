import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from supcon.data.storage.channel_statistics import channel_statistics, pixel_sums, statistics_of_sums


@settings(deadline=None)
@given(st.integers(1, 600), st.integers(1, 3), st.integers(1, 3), st.integers(0, 100))
def test_statistics_are_those_of_all_pixels(images: int, channels: int, size: int, seed: int) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (images, channels, size, size), dtype=np.uint8)
    mean, std = channel_statistics(torch.from_numpy(pixels))
    reference = pixels.astype(np.float64) / 255
    spread = reference.std(axis=(0, 2, 3))
    np.testing.assert_allclose(mean, reference.mean(axis=(0, 2, 3)), rtol=1e-12)
    np.testing.assert_allclose(std, np.where(spread == 0, 1, spread), rtol=1e-9)


def test_large_images_do_not_overflow() -> None:
    white = np.full((2, 1, 512, 512), 255, dtype=np.uint8)
    white[1] = 0
    assert statistics_of_sums(pixel_sums(white), 512 * 512) == ((0.5,), (0.5,))


def test_a_constant_channel_is_divided_by_one() -> None:
    images = torch.full((7, 2, 3, 3), 77, dtype=torch.uint8)
    images[0, 1] = 0
    _, std = channel_statistics(images)
    assert std[0] == 1
    assert std[1] == pytest.approx(images[:, 1].double().div(255).std(correction=0).item())


def test_statistics_take_a_view_of_a_larger_set() -> None:
    images = torch.arange(96, dtype=torch.uint8).view(2, 3, 4, 4)
    assert channel_statistics(images[:, :, ::2, ::2]) == channel_statistics(images[:, :, ::2, ::2].contiguous())
