"""Our own texture of ice."""

import pytest
import torch

from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.frost.own_ice import ice_texture, own_ice


@pytest.mark.parametrize(("small", "side"), [(True, 128), (False, 512)])
def test_the_texture_is_standardized_and_repeats_without_a_seam(small: bool, side: int) -> None:
    texture = ice_texture(small)
    assert texture.shape == (side, side)
    assert texture.mean().item() == pytest.approx(0, abs=1e-4)
    assert texture.std().item() == pytest.approx(1, abs=1e-4)
    inside = texture.diff(dim=1).abs().mean()
    assert (texture[:, 0] - texture[:, -1]).abs().mean() < 1.5 * inside
    assert (texture[0] - texture[-1]).abs().mean() < 1.5 * inside


@pytest.mark.parametrize("channels", [1, 3])
def test_pieces_are_as_bright_as_the_photographs(channels: int) -> None:
    images = torch.zeros(300, channels, 32, 32)
    ice = own_ice(images, Draws("frost", 0, torch.arange(300)))
    assert ice.shape == images.shape
    assert 0 <= ice.min() <= ice.max() <= 255
    brightness = ice.mean((1, 2, 3))
    assert brightness.mean().item() == pytest.approx(162, abs=6)
    assert brightness.std().item() == pytest.approx(36, abs=6)
    if channels == 3:
        red, green, blue = ice.mean((0, 2, 3)).tolist()
        assert red < green < blue
