"""Pictures of views: complete, captioned, the same for the same seed."""

from typing import Any

import pytest
import torch
from PIL import Image, ImageChops

from supcon.views import ViewsConfig, draw_sweep, draw_views
from supcon.views import contact_sheet as sheet


@pytest.fixture
def captions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every line that is written below an image."""
    written: list[str] = []
    draw = sheet._draw_cell

    def note(picture: Image.Image, pen: Any, cell: sheet.Cell, left: int, top: int) -> None:
        written.extend(cell.lines)
        draw(picture, pen, cell, left, top)

    monkeypatch.setattr(sheet, "_draw_cell", note)
    return written


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("name", ["crop-flip", "sim-augment", "auto-augment", "rand-augment", "stacked-rand-augment"])
@pytest.mark.parametrize("channels", [1, 3])
def test_draws_a_row_for_each_image(name: Any, channels: int, photos: Any, captions: list[str]) -> None:
    config = ViewsConfig(augmentation=name)
    picture = draw_views(photos(3, channels, 24, 30), config, 16, count=4, generator=seeded())
    assert picture.mode == "RGB"
    assert picture.width == 5 * (128 + 8) + 8
    assert picture.height > 3 * 128
    assert captions.count("image") == 3
    assert sum(line.startswith("crop ") for line in captions) == 12
    again = draw_views(photos(3, channels, 24, 30), config, 16, count=4, generator=seeded())
    assert ImageChops.difference(picture, again).getbbox() is None


def test_shows_the_very_views(photos: Any) -> None:
    image = photos(1, 3, 16, 16)
    still = ViewsConfig(augmentation="crop-flip", crop_area=(1.0, 1.0), crop_aspect=(1.0, 1.0), flip_probability=0.0)
    picture = draw_views(image, still, 16, count=1)
    top = 3 * 8 + 14
    original, view = (picture.crop((left, top, left + 128, top + 128)) for left in (8, 8 + 136))
    assert ImageChops.difference(original, view).getbbox() is None
    enlarged = Image.fromarray(image[0].permute(1, 2, 0).numpy()).resize((128, 128), Image.Resampling.NEAREST)
    assert ImageChops.difference(original, enlarged).getbbox() is None


def test_sweeps_every_operation_of_rand_augment(photos: Any, captions: list[str]) -> None:
    config = ViewsConfig(augmentation="rand-augment")
    picture = draw_sweep(photos(2, 3, 32, 32), config, 32, magnitudes=[0, 5, 10])
    assert picture.width == 3 * 136 + 8
    assert captions.count("magnitude 5") == 16
    assert {"rotate +15°", "rotate +30°"} <= set(captions) or {"rotate -15°", "rotate -30°"} <= set(captions)
    assert {"brightness x 0.10", "brightness x 1.00", "brightness x 1.90"} <= set(captions)


def test_sweeps_torchvisions_operations_to_thirty(photos: Any, captions: list[str]) -> None:
    config = ViewsConfig(augmentation="stacked-rand-augment", rand_augment_operations="torchvision")
    draw_sweep(photos(1, 1, 32, 32), config, 32)
    assert captions.count("magnitude 30") == 13


def test_sweeps_the_strength_of_the_jitter_with_one_draw(photos: Any, captions: list[str]) -> None:
    config = ViewsConfig(augmentation="sim-augment")
    draw_sweep(photos(2, 3, 32, 32), config, 32, magnitudes=[0.2, 1.0], generator=seeded())
    assert captions.count("strength 0.2") == captions.count("strength 1") == 2
    crops = [line for line in captions if line.startswith("crop")]
    assert crops[:1] == crops[1:2]


@pytest.mark.parametrize("name", ["crop-flip", "auto-augment"])
def test_nothing_to_sweep(name: Any, photos: Any) -> None:
    with pytest.raises(
        ValueError, match=f"augmentation must have a magnitude to sweep, got {name}; choose sim-augment"
    ):
        draw_sweep(photos(1, 3, 32, 32), ViewsConfig(augmentation=name), 32)


def test_needs_views(photos: Any) -> None:
    with pytest.raises(ValueError, match="count must be at least 1, got 0"):
        draw_views(photos(1, 3, 32, 32), ViewsConfig(), 32, count=0)
    with pytest.raises(ValueError, match="must give at most 5,000 pictures, got 1 images with 5,000 views each"):
        draw_views(photos(1, 3, 32, 32), ViewsConfig(), 32, count=5000)
