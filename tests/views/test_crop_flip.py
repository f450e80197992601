"""The random crop and flip against torchvision's."""

from typing import Any

import pytest
import torch
from torchvision.transforms import RandomResizedCrop
from torchvision.transforms.v2 import functional

from supcon.views import CropFlip
from supcon.views.crop_flip import Box, CropFlipStep, crop_each

SIZES = [
    ((8, 8), 8),
    ((32, 32), 32),
    ((20, 48), 32),
    ((90, 70), 32),
    ((40, 40), 96),
    ((224, 224), 224),
    ((300, 256), 224),
]


def boxes(step: CropFlipStep, count: int, size: tuple[int, int], seed: int = 0) -> Box:
    uniform = torch.rand(count, step.uniform_draws, generator=torch.Generator().manual_seed(seed))
    return step.parameters(uniform, *size)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(("stored", "size"), SIZES)
def test_crops_as_torchvision_does(
    stored: tuple[int, int], size: int, channels: int, dtype: torch.dtype, photos: Any
) -> None:
    images = photos(6, channels, *stored)
    if dtype.is_floating_point:
        images = images.to(dtype) / 255
    step = CropFlipStep(size, (0.08, 1.0), (0.5, 2.0), 0.5)
    drawn = boxes(step, 6, stored)
    assert 0 < int(drawn.mirrored.sum()) < 6
    got = step.apply_batched(images, drawn)
    if dtype == torch.uint8:
        got = got * 255
    for image, view, top, left, height, width, mirrored in zip(images, got, *drawn[:5], strict=True):
        box = (int(top), int(left), int(height), int(width))
        expected = functional.resized_crop(image, *box, [size, size], antialias=True)
        expected = functional.horizontal_flip(expected) if mirrored else expected
        # torchvision rounds uint8 after each axis, here only the end is rounded.
        limit = 1e-5 if dtype.is_floating_point else 1.0
        assert float((view - expected.float()).abs().max()) <= limit


@pytest.mark.parametrize(("stored", "size"), SIZES)
def test_both_engines_crop_alike(stored: tuple[int, int], size: int, photos: Any) -> None:
    images = photos(4, 3, *stored)
    step = CropFlipStep(size, (0.08, 1.0), (3 / 4, 4 / 3), 0.5)
    drawn = boxes(step, 4, stored)
    batched = step.apply_batched(images, drawn) * 255
    each = crop_each(list(images), drawn, (size, size)).float()
    assert float((batched - each).abs().max()) <= 1.0


@pytest.mark.parametrize("stored", [(32, 32), (40, 100), (300, 80)])
@pytest.mark.parametrize(("area", "aspect"), [((0.08, 1.0), (3 / 4, 4 / 3)), ((0.5, 0.9), (0.5, 2.0))])
def test_boxes_are_distributed_as_torchvisions(
    stored: tuple[int, int], area: tuple[float, float], aspect: tuple[float, float]
) -> None:
    count = 4000
    step = CropFlipStep(32, area, aspect, 0.5)
    got = torch.stack([values.double() for values in boxes(step, 10 * count, stored)[:4]])
    image = torch.empty(3, *stored)
    torch.manual_seed(0)
    expected = [RandomResizedCrop.get_params(image, list(area), list(aspect)) for _ in range(count)]
    theirs = torch.tensor(expected, dtype=torch.float64).t()
    for ours, other in zip(got, theirs, strict=True):
        error = (ours.var() / len(ours) + other.var() / len(other)).sqrt() + 1e-9
        assert float((ours.mean() - other.mean()).abs() / error) < 4.5
        assert float(ours.std()) == pytest.approx(float(other.std()), rel=0.15, abs=0.05)
        assert (ours.min() - other.min()).abs() <= max(3, 0.05 * float(other.max()))


def test_flips_as_often_as_asked() -> None:
    for probability in (0.0, 0.3, 1.0):
        drawn = boxes(CropFlipStep(32, (0.2, 1.0), (1.0, 1.0), probability), 10_000, (32, 32))
        assert float(drawn.mirrored.double().mean()) == pytest.approx(
            probability, abs=0.025 if 0 < probability < 1 else 0
        )


def test_the_largest_central_aspect_where_no_box_fits() -> None:
    # Nothing of 90 % of a 10 x 100 image's area is as high as it is wide.
    drawn = boxes(CropFlipStep(16, (0.9, 1.0), (1.0, 1.0), 0.0), 50, (10, 100))
    assert drawn.height.unique().tolist() == [10]
    assert drawn.width.unique().tolist() == [10]
    assert drawn.left.unique().tolist() == [45]


def test_whole_image_comes_back(photos: Any) -> None:
    images = photos(3, 3, 24, 24)
    whole = CropFlip(crop_area=(1.0, 1.0), crop_aspect=(1.0, 1.0), flip_probability=0.0)
    assert torch.equal(whole(images), images)
    mirrored = CropFlip(crop_area=(1.0, 1.0), crop_aspect=(1.0, 1.0), flip_probability=1.0)
    assert torch.equal(mirrored(images), images.flip(3))


def test_images_smaller_than_a_crop_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"images must be larger than a crop of 0\.08 of their area, got 3 x 4 pixels; "
    ):
        CropFlip(8)(torch.zeros(2, 1, 3, 4, dtype=torch.uint8))


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="crop_area must be two numbers"):
        CropFlip(crop_area=(0.5, 0.2))
    with pytest.raises(ValueError, match="crop_aspect must be two numbers"):
        CropFlip(crop_aspect=(0.0, 2.0))
    with pytest.raises(ValueError, match="flip_probability must be between 0 and 1"):
        CropFlip(flip_probability=2.0)


def test_describe() -> None:
    step = CropFlipStep(32, (0.25, 0.25), (1.0, 1.0), 1.0)
    assert step.describe(boxes(step, 1, (32, 32)), 0) == ["crop 25 %", "flip"]
