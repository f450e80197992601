"""Compares the distribution of our views with that of a pipeline of torchvision."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torchvision.transforms import v2

from supcon.views import SimAugment
from supcon.views.kernels.torchvision_kernels import from_pil, to_pil

CROP = [v2.RandomResizedCrop(32, scale=(0.2, 1.0)), v2.RandomHorizontalFlip()]
COLOUR = [v2.RandomApply([v2.ColorJitter(0.4, 0.4, 0.4, 0.1)], p=0.8), v2.RandomGrayscale(0.2)]
BLUR = [v2.RandomApply([v2.GaussianBlur(3, (0.1, 2.0))], p=0.5)]
SIM_AUGMENT = SimAugment(32, crop_area=(0.2, 1.0), warp_probability=0.0)
"""The same as CROP, COLOUR and BLUR."""


def statistics(views: Tensor) -> Tensor:
    """Of each view: mean, spread, colourfulness, and how much neighbours differ."""
    values = views.float() / 255
    colour = values.amax(dim=1) - values.amin(dim=1)
    edges = (values[..., 1:] - values[..., :-1]).abs()
    parts = [values.mean(dim=(1, 2, 3)), values.std(dim=(1, 2, 3)), colour.mean(dim=(1, 2)), edges.mean(dim=(1, 2, 3))]
    return torch.stack(parts, dim=1).double()


def assert_same_distribution(ours: Callable[..., Tensor], theirs: Sequence[Any], image: Tensor) -> None:
    """Means and spreads of simple statistics over many draws on one image of 32 x 32 pixels."""
    draws = 1200
    got = statistics(ours(image.expand(8 * draws, -1, -1, -1), generator=torch.Generator().manual_seed(0)))
    torch.manual_seed(0)
    pipeline, picture = v2.Compose(theirs), to_pil(image)
    expected = statistics(torch.stack([from_pil(pipeline(picture)) for _ in range(draws)]))
    error = (got.var(dim=0) / len(got) + expected.var(dim=0) / draws).sqrt()
    # torchvision truncates to whole numbers between operations, which darkens by up to a level each.
    assert torch.all((got.mean(dim=0) - expected.mean(dim=0)).abs() <= 4.5 * error + 2 / 255)
    assert torch.allclose(got.std(dim=0), expected.std(dim=0), rtol=0.12, atol=0.002)
