"""TensorFlow's colour adjustments against their definitions, with HSV by Python's colorsys."""

import colorsys

import pytest
import torch

from supcon.views.kernels.blend import Blend
from supcon.views.kernels.tensorflow_jitter import adjust, multiply_saturation


def test_each_image_gets_its_own_adjustment() -> None:
    pixels = torch.rand(3, 3, 10, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    parts = torch.tensor([Blend.BRIGHTNESS, Blend.CONTRAST, Blend.SATURATION])
    got = adjust(pixels, parts, torch.tensor([-0.3, 1.6, 0.4], dtype=torch.float64))
    assert torch.allclose(got[0], (pixels[0] - 0.3).clamp(0, 1))
    mean = pixels[1].mean(1, keepdim=True)
    assert torch.allclose(got[1], ((pixels[1] - mean) * 1.6 + mean).clamp(0, 1))
    assert torch.allclose(got[2], multiply_saturation(pixels[2:], torch.tensor([0.4], dtype=torch.float64))[0])


@pytest.mark.parametrize("factor", [0.0, 0.5, 1.0, 3.0])
def test_saturation_is_s_of_hsv_at_most_1(factor: float) -> None:
    pixels = torch.rand(1, 3, 20, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    got = multiply_saturation(pixels, torch.tensor([factor], dtype=torch.float64))
    for before, after in zip(pixels[0].T.tolist(), got[0].T.tolist(), strict=True):
        hue, saturation, value = colorsys.rgb_to_hsv(*before)
        assert after == pytest.approx(colorsys.hsv_to_rgb(hue, min(1, saturation * factor), value), abs=1e-9)


def test_grey_and_black_pixels_have_no_saturation_to_multiply() -> None:
    pixels = torch.tensor([0.0, 0.4, 1.0]).expand(1, 3, 3)
    assert torch.allclose(multiply_saturation(pixels, torch.tensor([2.0])), pixels)
