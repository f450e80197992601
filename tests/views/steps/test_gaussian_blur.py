"""The blur against torchvision's, and against the authors' by the numbers in `references/published`."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torchvision.transforms.v2 import functional

from references.published_tables import Row, means_of, photograph, pixels_of, read_table, table_means, table_pixels
from supcon.views import Place, SimAugment, ViewsConfig, make_augmentation, make_view_maker
from supcon.views.kernels.pixels import to_bytes
from supcon.views.steps.gaussian_blur import Blur, BlurStep


def uniform(step: Any, count: int) -> torch.Tensor:
    return torch.rand(count, step.uniform_draws, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("height", "width"), [(20, 20), (32, 32), (8, 64), (224, 224)])
def test_blurs_as_torchvision_does(height: int, width: int, dtype: torch.dtype, photos: Any) -> None:
    images = photos(12, 3, height, width).to(dtype) / 255
    step = BlurStep(0.5, (0.1, 2.0), 0.1)
    drawn = step.parameters(uniform(step, 12), height, width)
    got = step.apply(images.clone(), drawn)
    kernel = [2 * (side // 10 // 2) + 1 for side in (width, height)]
    assert 0 < int(drawn.active.sum()) < 12
    for image, view, active, sigma in zip(images, got, *drawn, strict=True):
        expected = functional.gaussian_blur(image, kernel, [float(sigma)] * 2) if active else image
        assert torch.allclose(view, expected, atol=1e-5)


def test_images_too_small_for_the_kernel_are_not_blurred() -> None:
    step = BlurStep(1.0, (0.1, 2.0), 0.1)
    assert not step.parameters(uniform(step, 5), 8, 19).active.any()
    assert step.parameters(uniform(step, 5), 8, 20).active.all()


def test_sigma_is_even_within_its_range() -> None:
    step = BlurStep(0.5, (0.1, 2.0), 0.1)
    drawn = step.parameters(uniform(step, 20_000), 32, 32)
    assert float(drawn.active.double().mean()) == pytest.approx(0.5, abs=0.02)
    assert float(drawn.sigma.min()) == pytest.approx(0.1, abs=0.01)
    assert float(drawn.sigma.max()) == pytest.approx(2.0, abs=0.01)
    assert float(drawn.sigma.mean()) == pytest.approx(1.05, abs=0.02)


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="blur_sigma must be two numbers with 0 < first"):
        SimAugment(blur_sigma=(0.0, 2.0))
    with pytest.raises(ValueError, match="blur_kernel must be between 0 and 1, got 2"):
        SimAugment(blur_kernel=2.0)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def assert_like(got: Tensor, row: Row) -> None:
    # TensorFlow cuts 255.5 x off to bytes, here 255 x is rounded.
    assert int((pixels_of(got) - table_pixels(row)).abs().max()) <= 1
    assert (means_of(got) - table_means(row)).abs().max() < 0.7


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


def test_describe() -> None:
    blur = BlurStep(1.0, (1.5, 1.5), 0.1)
    assert blur.describe(blur.parameters(torch.zeros(1, 2), 32, 32), 0) == ["blur 1.5 px"]
    left_alone = BlurStep(0.0, (1.5, 1.5), 0.1)
    assert left_alone.describe(left_alone.parameters(torch.full((1, 2), 0.5), 32, 32), 0) == []
