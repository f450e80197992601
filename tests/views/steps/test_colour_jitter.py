"""Colour jitter against torchvision, and against the authors' code by the numbers in `references/published`."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torchvision.transforms.v2 import functional

from references.published_tables import Row, means_of, photograph, pixels_of, read_table, table_means, table_pixels
from supcon.views import SimAugment
from supcon.views.config import JitterKind
from supcon.views.kernels.blend import Blend
from supcon.views.kernels.pixels import to_bytes
from supcon.views.steps.colour_jitter import ColourJitterStep, Jitter

PARTS = ["brightness", "contrast", "saturation", "hue"]
NOTHING = [0.0, 1.0, 1.0, 0.0]
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


def test_the_colours_of_grey_images_do_not_change(photos: Any) -> None:
    images = photos(20, 1, 16, 16) / 255
    colours_only = ColourJitterStep(1.0, 0.0, 0.0, 0.8, 0.5)
    assert torch.allclose(colours_only.apply(images.clone(), draw(colours_only, 20)), images, atol=1e-6)


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match=r"hue must be between 0 and 0.5, got 0.6"):
        SimAugment(hue=0.6)
    with pytest.raises(ValueError, match=r"jitter_probability must be between 0 and 1, got 1.5"):
        SimAugment(jitter_probability=1.5)


def test_describe_names_what_can_change_in_its_order() -> None:
    step = ColourJitterStep(1.0, 0.4, 0.0, 0.4, 0.1)
    drawn = Jitter(
        torch.tensor([[2, 1, 0]]), torch.tensor([[0.7, 1.0, 1.25]]), torch.tensor([1]), torch.tensor([-0.05])
    )
    assert step.describe(drawn, 0) == ["saturation x 0.70", "hue -18°", "brightness x 1.25"]
    assert step.describe(Jitter(*drawn[:2], torch.tensor([4]), drawn[3]), 0) == []


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def jitter(order: list[str], amounts: dict[str, float]) -> Jitter:
    values = [amounts.get(part, nothing) for part, nothing in zip(PARTS, NOTHING, strict=True)]
    blends = [PARTS.index(part) for part in order if part != "hue"]
    factors = [values[part] for part in blends]
    return Jitter(
        torch.tensor([blends]),
        torch.tensor([factors]),
        torch.tensor([order.index("hue")]),
        torch.tensor([values[PARTS.index("hue")]]),
    )


def expected(row: Row) -> Jitter:
    if row["part"].startswith("all: "):
        amounts = dict(zip(PARTS, map(float, row["amount"].split()), strict=True))
        return jitter(row["part"].removeprefix("all: ").split(), amounts)
    return jitter(PARTS, {row["part"]: float(row["amount"])})


def assert_like(got: Tensor, row: Row) -> None:
    # TensorFlow cuts 255.5 x off to bytes, here 255 x is rounded.
    assert int((pixels_of(got) - table_pixels(row)).abs().max()) <= 1
    assert (means_of(got) - table_means(row)).abs().max() < 0.7


@pytest.mark.parametrize("row", read_table("colour_jitter"), ids=lambda row: f"{row['part']} {row['amount']}")
def test_tensorflow_jitter_is_the_authors(row: Row) -> None:
    step = ColourJitterStep(1.0, 0.8, 0.8, 0.8, 0.2, "tensorflow")
    floats = photograph("china").unsqueeze(0) / 255
    assert_like(to_bytes(step.apply(floats, expected(row)))[0], row)


def test_tensorflow_jitter_draws_what_the_authors_draw() -> None:
    step = ColourJitterStep(0.8, 0.8, 0.8, 0.8, 0.2, "tensorflow")
    drawn = step.parameters(torch.rand(20_000, step.uniform_draws, generator=seeded()), 8, 8)
    active = drawn.hue_place < 4
    assert float(active.double().mean()) == pytest.approx(0.8, abs=0.01)
    for part, low, high in ((0, -0.8, 0.8), (1, 0.2, 1.8), (2, 0.2, 1.8)):
        amounts = drawn.factors[active][drawn.blends[active] == part]
        assert float(amounts.min()) == pytest.approx(low, abs=0.01)
        assert float(amounts.max()) == pytest.approx(high, abs=0.01)
        assert float(amounts.mean()) == pytest.approx((low + high) / 2, abs=0.02)
    assert float(drawn.turns.abs().max()) == pytest.approx(0.2, abs=0.01)


def test_images_that_are_left_alone_do_not_change(photos: Any) -> None:
    step = ColourJitterStep(0.0, 0.8, 0.8, 0.8, 0.2, "tensorflow")
    still = jitter(PARTS, {})
    images = photos(1, 3, 16, 16) / 255
    assert torch.allclose(step.apply(images, still), images, atol=1e-6)
    assert step.parameters(torch.rand(5, 9), 8, 8).factors.shape == (5, 3)


def test_describe_says_whether_brightness_is_added() -> None:
    drawn = jitter(PARTS, {"brightness": -0.3, "contrast": 1.5})
    kinds: list[tuple[JitterKind, str]] = [("tensorflow", "brightness -0.30"), ("torchvision", "brightness x -0.30")]
    for kind, words in kinds:
        assert ColourJitterStep(1.0, 0.8, 0.8, 0.8, 0.2, kind).describe(drawn, 0)[0] == words
