"""An augmentation built from a ViewsConfig."""

from typing import Any

import pytest
import torch

from supcon.views import ViewsConfig, make_augmentation


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("name", ["crop-flip", "sim-augment", "auto-augment", "rand-augment", "stacked-rand-augment"])
@pytest.mark.parametrize("channels", [1, 3])
def test_made_from_config(name: Any, channels: int, photos: Any) -> None:
    augmentation = make_augmentation(ViewsConfig(augmentation=name), 24, channels)
    views = augmentation(photos(5, channels, 40, 32), generator=seeded())
    assert views.shape == (5, channels, 24, 24)
    if channels == 1:
        said = [line.split()[0] for lines in augmentation.describe(augmentation.draw(200, 32, 32)) for line in lines]
        assert not {"hue", "saturation", "grey"} & set(said)


def test_config_decides_the_numbers(photos: Any) -> None:
    still = ViewsConfig(
        augmentation="stacked-rand-augment",
        crop_area=(1.0, 1.0),
        crop_aspect=(1.0, 1.0),
        flip_probability=0.0,
        jitter_strength=0.0,
        grey_probability=0.0,
        warp_probability=0.0,
        blur_probability=0.0,
        rand_augment_operations="torchvision",
        rand_augment_magnitude=0,
        rand_augment_layers=1,
    )
    images = photos(60, 3, 24, 24)
    augmentation = make_augmentation(still, 24, 3)
    drawn = augmentation.draw(60, 24, 24, seeded())
    views = augmentation.apply(images, drawn).int()
    same = (views - images.int()).abs().flatten(1).amax(dim=1) <= 1
    changed = [lines for lines, unchanged in zip(augmentation.describe(drawn), same, strict=True) if not unchanged]
    # At magnitude 0 nothing happens but what has no magnitude, and sharpening's rounding.
    assert {lines[-1].split()[0] for lines in changed if lines} <= {"autocontrast", "equalize", "solarize"}


def test_refuses_a_size_that_is_none() -> None:
    with pytest.raises(ValueError, match="size must be at least 1 and channels 1 or 3, got 0 and 3"):
        make_augmentation(ViewsConfig(), 0, 3)
    with pytest.raises(ValueError, match="size must be at least 1 and channels 1 or 3, got 32 and 4"):
        make_augmentation(ViewsConfig(), 32, 4)
