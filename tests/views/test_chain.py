"""An augmentation from a list of steps."""

from typing import Any

import torch

from supcon.views import Chain, CropFlip, RandAugment, SimAugment


def test_steps_are_applied_in_the_given_order(photos: Any) -> None:
    images = photos(8, 3, 20, 24)
    crop_flip, operations = CropFlip(16).steps[0], RandAugment(1, 5).steps[0]
    chain = Chain([crop_flip, operations])
    assert chain.steps == (crop_flip, operations)
    drawn = chain.draw(8, 20, 24, torch.Generator().manual_seed(0))
    cropped = Chain([crop_flip]).apply(images, drawn[:1])
    assert cropped.shape == (8, 3, 16, 16)
    assert torch.equal(chain.apply(images, drawn), Chain([operations]).apply(cropped, drawn[1:]))


def test_the_steps_of_an_augmentation_give_its_views(photos: Any) -> None:
    images, augmentation = photos(4, 3, 16, 16), SimAugment()
    expected = augmentation(images, generator=torch.Generator().manual_seed(3))
    assert torch.equal(Chain(augmentation.steps)(images, generator=torch.Generator().manual_seed(3)), expected)
