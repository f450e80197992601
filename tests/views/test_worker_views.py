"""Views of single images, made in the loader's workers."""

from typing import Any

import pytest
import torch
from PIL import Image

from supcon.views import CropFlip, RandAugment, ViewsConfig, WorkerViews, make_augmentation
from supcon.views.kernels.torchvision_kernels import to_pil


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("name", ["crop-flip", "sim-augment", "auto-augment", "rand-augment", "stacked-rand-augment"])
def test_an_image_alone_gets_what_it_gets_in_a_batch(name: Any, photos: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    image = photos(1, 3, 130, 100)[0]
    augmentation = make_augmentation(ViewsConfig(augmentation=name), 96, 3)
    alone = WorkerViews(augmentation, count=24)(image, generator=seeded())
    assert alone.shape == (24, 3, 96, 96)
    for kernels in ("crop_flip", "steps.policy_step"):
        monkeypatch.setattr(f"supcon.views.{kernels}.image_by_image", lambda *_: False)
    in_batch = augmentation(image.expand(24, -1, -1, -1), generator=seeded())
    difference = (alone.float() - in_batch.float()).abs().mean(dim=(1, 2, 3))
    assert float(difference.median()) < 1.0
    assert float(difference.mean()) < 2.0


def test_pil_and_tensor_images_give_the_same_views(photos: Any) -> None:
    per_image = WorkerViews(make_augmentation(ViewsConfig(augmentation="stacked-rand-augment"), 64, 3), count=2)
    image = photos(1, 3, 90, 120)[0]
    from_tensor, from_file = (per_image(given, generator=seeded(3)) for given in (image, to_pil(image)))
    assert torch.equal(from_tensor, from_file)
    assert from_tensor.dtype == torch.uint8
    assert not torch.equal(from_tensor[0], from_tensor[1])


def test_size_of_the_image_where_none_is_asked_for(photos: Any) -> None:
    assert WorkerViews(CropFlip(), count=1)(photos(1, 1, 30, 50)[0]).shape == (1, 1, 30, 50)


def test_wrong_images_are_refused(photos: Any) -> None:
    per_image = WorkerViews(CropFlip(8))
    with pytest.raises(ValueError, match=r"image must have PIL's mode L or RGB, got CMYK; convert it first."):
        per_image(Image.new("CMYK", (20, 20)))
    with pytest.raises(ValueError, match=r"image must be uint8 .*, got torch.float32 \[3, 20, 20\]; convert it first."):
        per_image(torch.zeros(3, 20, 20))
    with pytest.raises(ValueError, match=r"must start with the random crop, got one that starts with PolicyStep"):
        WorkerViews(RandAugment())
    with pytest.raises(ValueError, match=r"count must be at least 1, got 0"):
        WorkerViews(CropFlip(8), count=0)
