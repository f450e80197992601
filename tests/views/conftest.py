"""Images that look like something: smooth surfaces, edges, dark and light ones."""

from collections.abc import Callable, Iterator

import jaxtyping
import pytest
import torch
from torch import Tensor
from torch.nn.functional import interpolate

MakePhotos = Callable[..., Tensor]


@pytest.fixture(scope="session")
def photos() -> MakePhotos:
    """`photos(count, channels, height, width)`: uint8 images, the same ones for the same arguments."""

    def make(count: int, channels: int, height: int, width: int) -> Tensor:
        generator = torch.Generator().manual_seed(count + 10 * channels + 100 * height + 10_000 * width)
        coarse = torch.rand(count, channels, 5, 5, generator=generator)
        smooth = interpolate(coarse, size=(height, width), mode="bicubic", align_corners=False)
        fine = torch.rand(count, channels, height, width, generator=generator) * 0.1
        smooth[:, :, : height // 3, : width // 2] *= 0.5
        low, high = torch.rand(2, count, 1, 1, 1, generator=generator).sort(dim=0).values
        pixels: Tensor = (
            ((smooth + fine).clamp(0, 1) * (0.3 + 0.7 * high) + 0.2 * low).clamp(0, 1).mul(255).to(torch.uint8)
        )
        return pixels

    return make


@pytest.fixture
def types_unchecked() -> Iterator[None]:
    """What a caller meets who does not check types: the package's own sentences."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
