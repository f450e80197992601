"""Blurs against the usual implementation, and the disk of the defocus blur."""

import pytest
import torch

from references.usual_corruptions import CASES, GREY, assert_like_the_usual
from supcon.evaluation.corruptions.blurs import disk


@pytest.mark.parametrize(("count", "size", "channels", "severity"), [*CASES, GREY])
@pytest.mark.parametrize("name", ["gaussian_blur", "defocus_blur", "zoom_blur"])
def test_agrees_with_the_usual_implementation(
    name: str, count: int, size: tuple[int, int], channels: int, severity: int
) -> None:
    assert_like_the_usual(name, count, size, channels, severity)


@pytest.mark.parametrize(("radius", "edge"), [(0.3, 0.4), (3, 0.1), (6, 0.5), (10, 0.5)])
def test_the_disk_is_symmetric_with_the_published_weights(radius: float, edge: float) -> None:
    kernel = disk(radius, edge)
    # Above a radius of 8 the disk touches its square's border, which the published blur mirrors: that adds weight.
    assert kernel.sum().item() == pytest.approx(1 if radius <= 8 else 1.0108, abs=1e-4)
    assert torch.allclose(kernel, kernel.T)
    assert torch.allclose(kernel, kernel.flip(0))
    # Pixels well inside of the disk weigh the same, those beyond its blurred edge nothing.
    reach = kernel.shape[0] // 2
    distance = torch.hypot(*torch.meshgrid(*[torch.arange(-reach, reach + 1.0)] * 2, indexing="ij"))
    inside = kernel[distance < radius - 3]
    assert len(inside) == 0 or torch.allclose(inside, inside[0].expand_as(inside))
    assert bool((kernel[distance > radius + 3] < 1e-6).all())
