"""Which ice lies on frosted images, and where it comes from."""

from pathlib import Path
from typing import Any

import pytest
import torch

from references.usual_corruptions import photographs
from supcon.evaluation import corrupt, frost_name, frost_texture
from supcon.evaluation.corruptions.frost import ice_photographs


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ice_photographs, "find_spec", lambda _: None)


def black(count: int, side: int, channels: int = 3) -> torch.Tensor:
    return torch.zeros(count, channels, side, side, dtype=torch.uint8)


def test_without_the_package_the_texture_is_our_own(missing: None) -> None:
    assert frost_texture("auto") == "own"
    assert frost_texture("own") == "own"
    assert frost_name("own") == "a texture of supcon's own"
    with pytest.raises(ValueError, match="imagecorruptions, which is not installed; run pip install"):
        frost_texture("photographs")
    with pytest.raises(ValueError, match="not installed"):
        corrupt(black(1, 8), "frost", 1, texture="photographs")


def test_a_package_without_the_photographs_does_not_count(installed: Path) -> None:
    assert frost_texture("auto") == "photographs"
    (installed / "frost" / "frost4.jpg").unlink()
    assert frost_texture("auto") == "own"


def test_a_set_is_the_same_however_it_is_cut(installed: Path) -> None:
    images: Any = torch.randint(0, 256, (9, 3, 32, 32), dtype=torch.uint8)
    whole = corrupt(images, "frost", 4, texture="photographs")
    parts = [
        corrupt(images[i : i + 3], "frost", 4, texture="photographs", indices=torch.arange(i, i + 3)) for i in (0, 3, 6)
    ]
    assert torch.equal(whole, torch.cat(parts))


@pytest.mark.parametrize("texture", ["own", "photographs"])
def test_frost_weighs_image_and_ice(texture: Any) -> None:
    if texture == "photographs" and ice_photographs.photographs_folder() is None:
        pytest.skip("the package imagecorruptions is not installed")
    images = photographs(2, 32, 32)
    black = corrupt(torch.zeros_like(images), "frost", 5, texture=texture)
    expected = 0.75 * images.double() + black.double()
    off = corrupt(images, "frost", 5, texture=texture).double() - expected.clamp(0, 255)
    assert off.min() >= -1
    assert off.max() <= 1
