"""Stacked RandAugment: its steps, their order, and torchvision's distribution."""

from typing import Any

import pytest
import torch
from torchvision.transforms import v2

from references.torchvision_pipelines import BLUR, COLOUR, CROP, SIM_AUGMENT, assert_same_distribution
from supcon.views import Augmentation, Chain, StackedRandAugment


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_stacked_orders() -> None:
    def names(augmentation: Augmentation) -> list[str]:
        return [type(step).__name__.removesuffix("Step") for step in augmentation.steps]

    assert names(StackedRandAugment()) == ["CropFlip", "Policy", "ColourJitter", "Grey", "Warp", "Blur"]
    jitter_first = StackedRandAugment(layers=1, order="jitter-first")
    assert names(jitter_first) == ["CropFlip", "ColourJitter", "Policy", "Grey", "Warp", "Blur"]


def test_stacked_refuses_an_unknown_order(types_unchecked: None) -> None:
    unknown: Any = "both"
    with pytest.raises(ValueError, match="order must be one of rand-augment-first, jitter-first, got 'both'"):
        StackedRandAugment(order=unknown)


def test_stacked_is_its_parts(photos: Any) -> None:
    images, stacked = photos(20, 3, 32, 32), StackedRandAugment()
    crop, operations, *rest = stacked.steps
    drawn = stacked.draw(20, 32, 32, seeded())
    halfway = Chain([crop, operations]).apply(images, drawn[:2])
    # In between the parts, uint8 stays uint8.
    assert torch.equal(Chain(rest).apply(halfway, drawn[2:]), stacked.apply(images, drawn))


def test_distributed_as_torchvisions_pipeline(photos: Any) -> None:
    ours = StackedRandAugment(2, 9, operations="torchvision", sim_augment=SIM_AUGMENT)
    assert_same_distribution(ours, [*CROP, v2.RandAugment(2, 9), *COLOUR, *BLUR], photos(1, 3, 32, 32)[0])
