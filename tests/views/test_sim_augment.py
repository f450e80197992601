"""SimAugment has the distribution of the same pipeline built from torchvision."""

from typing import Any

import pytest

from references.torchvision_pipelines import BLUR, COLOUR, CROP, SIM_AUGMENT, assert_same_distribution
from supcon.views import SimAugment


def test_distributed_as_torchvisions_pipeline(photos: Any) -> None:
    assert_same_distribution(SIM_AUGMENT, [*CROP, *COLOUR, *BLUR], photos(1, 3, 32, 32)[0])


def test_steps_with_probability_0_are_left_out() -> None:
    def names(augmentation: SimAugment) -> list[str]:
        return [type(step).__name__.removesuffix("Step") for step in augmentation.steps]

    assert names(SimAugment()) == ["CropFlip", "ColourJitter", "Grey", "Warp", "Blur"]
    assert names(SimAugment(blur_probability=0.0, warp_probability=0.0)) == ["CropFlip", "ColourJitter", "Grey"]


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="warp_length must be finite and at least 0"):
        SimAugment(warp_length=-1.0)
    with pytest.raises(ValueError, match=r"contrast must be finite and at least 0, got -0.1"):
        SimAugment(contrast=-0.1)
    with pytest.raises(ValueError, match=r"grey_probability must be between 0 and 1"):
        SimAugment(grey_probability=1.5)
