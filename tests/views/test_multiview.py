"""Several views of a batch: independent draws, and the same ones when processes share the batch."""

from typing import Any

import pytest
import torch

from supcon.views import CropFlip, Place, SimAugment, ViewsConfig, make_augmentation, make_views


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_views_differ_and_are_the_augmentations(photos: Any) -> None:
    images, augmentation = photos(6, 3, 40, 24), SimAugment(32)
    views = make_views(images, augmentation, count=3, generator=seeded())
    assert views.shape == (6, 3, 3, 32, 32)
    assert not torch.equal(views[:, 0], views[:, 1])
    assert not torch.equal(views[:, 1], views[:, 2])
    generator = seeded()
    assert torch.equal(views[:, 0], augmentation(images, generator=generator))
    assert torch.equal(views[:, 1], augmentation(images, generator=generator))


def test_views_need_a_count(photos: Any) -> None:
    with pytest.raises(ValueError, match="count must be at least 1, got 0"):
        make_views(photos(2, 3, 8, 8), CropFlip(), count=0)


@pytest.mark.parametrize("name", ["crop-flip", "sim-augment", "auto-augment", "stacked-rand-augment"])
def test_processes_that_share_a_batch_make_the_views_of_one(name: Any, photos: Any) -> None:
    images = photos(12, 3, 32, 32)
    augmentation = make_augmentation(ViewsConfig(augmentation=name), 32, 3)
    whole = make_views(images, augmentation, 2, seeded())
    parts = [make_views(images[i : i + 4], augmentation, 2, seeded(), Place(i, 12)) for i in (0, 4, 8)]
    assert torch.equal(whole, torch.cat(parts))
