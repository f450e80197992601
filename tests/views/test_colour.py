"""Colour jitter, hue and grey, against torchvision and against loops over single pixels."""

import colorsys
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torchvision.transforms.v2 import functional

from supcon.views import SimAugment
from supcon.views.kernels.blend import Blend
from supcon.views.kernels.hue import turn_hue
from supcon.views.steps.colour_jitter import ColourJitterStep, Jitter
from supcon.views.steps.grey import GreyStep

BLENDS = {
    Blend.BRIGHTNESS: functional.adjust_brightness,
    Blend.CONTRAST: functional.adjust_contrast,
    Blend.SATURATION: functional.adjust_saturation,
}


def draw(step: ColourJitterStep, count: int) -> Jitter:
    return step.parameters(torch.rand(count, step.uniform_draws, generator=torch.Generator().manual_seed(0)), 8, 8)


def jitter_one(image: Tensor, blends: list[int], factors: list[float], hue_place: int, turns: float) -> Tensor:
    for place in range(4):
        if place == hue_place:
            image = functional.adjust_hue(image, turns)
        if place < 3:
            image = BLENDS[Blend(blends[place])](image, factors[place])
    return image


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("side", [8, 32, 224])
def test_jitters_in_each_images_own_order(side: int, channels: int, photos: Any) -> None:
    images = photos(30, channels, side, side) / 255
    step = ColourJitterStep(0.8, 0.8, 0.8, 0.8, 0.4)
    drawn = draw(step, 30)
    got = step.apply(images.clone(), drawn)
    assert 0 < int((drawn.hue_place == 4).sum()) < 15
    for image, view, *numbers in zip(images, got, *(values.tolist() for values in drawn), strict=True):
        assert torch.allclose(view, jitter_one(image, *numbers), atol=2e-5)


def test_bytes_differ_from_torchvisions_by_its_rounding_between_parts(photos: Any) -> None:
    images = photos(40, 3, 32, 32)
    jitter = SimAugment(
        crop_area=(1.0, 1.0),
        crop_aspect=(1.0, 1.0),
        flip_probability=0.0,
        jitter_probability=1.0,
        grey_probability=0.0,
        warp_probability=0.0,
        blur_probability=0.0,
    )
    drawn = jitter.draw(40, 32, 32, torch.Generator().manual_seed(0))
    got = jitter.apply(images, drawn)
    numbers = zip(*(values.tolist() for values in drawn[1]), strict=True)
    expected = torch.stack([jitter_one(image, *row) for image, row in zip(images, numbers, strict=True)])
    difference = (got.float() - expected.float()).abs()
    # Four cuts to whole numbers, each up to 1 below, stretched by the parts that follow.
    assert float(difference.mean()) < 2.0
    assert float(difference.max()) <= 8


def test_amounts_orders_and_probability_are_as_asked() -> None:
    step = ColourJitterStep(0.8, 0.4, 0.6, 1.2, 0.1)
    drawn = draw(step, 40_000)
    active = drawn.hue_place < 4
    assert float(active.double().mean()) == pytest.approx(0.8, abs=0.01)
    assert torch.all(drawn.factors[~active] == 1)
    assert torch.all(drawn.turns[~active] == 0)
    for blend, low, high in ((Blend.BRIGHTNESS, 0.6, 1.4), (Blend.CONTRAST, 0.4, 1.6), (Blend.SATURATION, 0.0, 2.2)):
        factors = drawn.factors[active][drawn.blends[active] == blend]
        assert low <= float(factors.min()) < low + 0.01
        assert high - 0.01 < float(factors.max()) <= high
        assert float(factors.mean()) == pytest.approx((low + high) / 2, abs=0.02)
    turns = drawn.turns[active]
    assert -0.1 <= float(turns.min()) < -0.099
    assert 0.099 < float(turns.max()) <= 0.1
    orders = drawn.hue_place[active] * 27 + (drawn.blends[active] * torch.tensor([9, 3, 1])).sum(dim=1)
    counts = orders.bincount()[orders.unique()]
    assert len(counts) == 24
    expected = int(active.sum()) / 24
    assert float(((counts - expected).abs() / expected**0.5).max()) < 4.5


unit = st.floats(0, 1, width=32)


@given(st.lists(st.tuples(unit, unit, unit), min_size=1, max_size=8), st.floats(-0.5, 0.5, width=32))
def test_hue_turns_as_the_definition_says(colours: list[tuple[float, float, float]], turn: float) -> None:
    pixels = torch.tensor(colours, dtype=torch.float64).t().unsqueeze(0).contiguous()
    turned = turn_hue(pixels, torch.tensor([turn], dtype=torch.float64))[0].t()
    for colour, got in zip(colours, turned.tolist(), strict=True):
        hue, saturation, value = colorsys.rgb_to_hsv(*colour)
        expected = colorsys.hsv_to_rgb((hue + turn) % 1, saturation, value)
        assert got == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
def test_grey_is_the_luma_in_every_channel(dtype: torch.dtype, photos: Any) -> None:
    images = photos(200, 3, 16, 16) / 255
    step = GreyStep(0.3)
    drawn = step.parameters(torch.rand(200, 1, generator=torch.Generator().manual_seed(0)), 16, 16)
    assert int(drawn.active.sum()) == pytest.approx(60, abs=25)
    got = step.apply(images.clone(), drawn)
    expected = functional.rgb_to_grayscale(images, 3)
    assert torch.allclose(got[drawn.active], expected[drawn.active], atol=1e-6)
    assert torch.equal(got[~drawn.active], images[~drawn.active])


def test_nothing_happens_to_the_colours_of_grey_images(photos: Any) -> None:
    images = photos(20, 1, 16, 16) / 255
    colours_only = ColourJitterStep(1.0, 0.0, 0.0, 0.8, 0.5)
    assert torch.allclose(colours_only.apply(images.clone(), draw(colours_only, 20)), images, atol=1e-6)
    grey = GreyStep(1.0)
    assert torch.equal(grey.apply(images.clone(), grey.parameters(torch.zeros(20, 1), 16, 16)), images)


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match=r"hue must be between 0 and 0.5, got 0.6"):
        SimAugment(hue=0.6)
    with pytest.raises(ValueError, match=r"contrast must be finite and at least 0, got -0.1"):
        SimAugment(contrast=-0.1)
    with pytest.raises(ValueError, match=r"grey_probability must be between 0 and 1"):
        SimAugment(grey_probability=1.5)


def test_describe_names_what_can_change_in_its_order() -> None:
    step = ColourJitterStep(1.0, 0.4, 0.0, 0.4, 0.1)
    drawn = Jitter(
        torch.tensor([[2, 1, 0]]), torch.tensor([[0.7, 1.0, 1.25]]), torch.tensor([1]), torch.tensor([-0.05])
    )
    assert step.describe(drawn, 0) == ["saturation x 0.70", "hue -18°", "brightness x 1.25"]
    assert step.describe(Jitter(*drawn[:2], torch.tensor([4]), drawn[3]), 0) == []
