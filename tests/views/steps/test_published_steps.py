"""Jitter and blur against the authors' own, by the numbers in `references/published`; what a whole batch shares."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from references.published_tables import Row, means_of, photograph, pixels_of, read_table, table_means, table_pixels
from supcon.views import Place, SimAugment, ViewsConfig, make_augmentation, make_view_maker
from supcon.views.config import JitterKind
from supcon.views.kernels.pixels import to_bytes
from supcon.views.steps.colour_jitter import ColourJitterStep, Jitter
from supcon.views.steps.gaussian_blur import Blur, BlurStep

PARTS = ["brightness", "contrast", "saturation", "hue"]
NOTHING = [0.0, 1.0, 1.0, 0.0]


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


@pytest.mark.parametrize("row", read_table("gaussian_blur"), ids=lambda row: row["sigma"])
def test_blur_with_a_grey_border_is_the_authors(row: Row) -> None:
    step = BlurStep(1.0, (0.1, 2.0), 0.1, "batch", "grey")
    drawn = Blur(torch.tensor([True]), torch.tensor([float(row["sigma"])]))
    got = to_bytes(step.apply(photograph("china").unsqueeze(0) / 255, drawn))[0]
    assert_like(got, row)
    corners = got[:, [0, 0, 223, 223], [0, 223, 0, 223]].int()
    assert int((corners - table_pixels(row, "corners")).abs().max()) <= 1


def sigmas(config: ViewsConfig, **place: Any) -> Tensor:
    augmentation = make_augmentation(config, 32, 3)
    (blur,) = (step for step in augmentation.steps if isinstance(step, BlurStep))
    drawn = augmentation.draw(16, 32, 32, seeded(), **place)
    values: Tensor = drawn[augmentation.steps.index(blur)][1]
    return values


def test_a_batch_shares_its_sigma_and_so_do_the_processes_that_share_it() -> None:
    own, shared = ViewsConfig(), ViewsConfig(blur_sigma_per="batch")
    assert len(sigmas(own).unique()) == 16
    assert len(sigmas(shared).unique()) == 1
    parts = [sigmas(shared, place=Place(first, 48)) for first in (0, 16, 32)]
    assert len(torch.cat(parts).unique()) == 1


@pytest.mark.parametrize(("engine", "stored"), [("batched", (40, 40)), ("batched", None), ("per-image", (40, 40))])
def test_all_views_of_a_step_share_it_whatever_the_engine(engine: Any, stored: Any, photos: Any) -> None:
    """Noise that is blurred alike has the same roughness everywhere; with its own sigma it has not."""
    noise = torch.randint(0, 256, (12, 3, 40, 40), generator=seeded(), dtype=torch.uint8)

    def spread(per: Any) -> float:
        config = ViewsConfig(
            engine=engine,
            crop_area=(1.0, 1.0),
            crop_aspect=(1.0, 1.0),
            jitter_probability=0.0,
            grey_probability=0.0,
            warp_probability=0.0,
            blur_probability=1.0,
            blur_sigma=(0.5, 2.0),
            blur_sigma_per=per,
        )
        maker = make_view_maker(config, 40, 3, stored, "cpu")
        in_loader = maker.in_loader
        batch = noise if in_loader is None else torch.stack([in_loader(image, seeded(1)) for image in noise])
        views = maker(batch, seeded(2)).flatten(0, 1).float()
        assert views.shape == (24, 3, 40, 40)
        roughness = views.diff(dim=-1).abs().mean((1, 2, 3)).numpy()
        return float(np.std(roughness) / np.mean(roughness))

    assert spread("batch") < 0.05
    assert spread("image") > 0.2


def test_new_options_are_checked(types_unchecked: None) -> None:
    for name, value in (("crop_law", "x"), ("jitter_kind", "x"), ("blur_sigma_per", "x"), ("blur_border", "x")):
        options: Any = {name: value}
        with pytest.raises(ValueError, match=f"views.{name} must be one of"):
            ViewsConfig(**options)
    steps = SimAugment(crop_law="tensorflow", jitter_kind="tensorflow", blur_sigma_per="batch").steps
    assert [step.shared_draws for step in steps] == [0, 0, 0, 0, 1]
