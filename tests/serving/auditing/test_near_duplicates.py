import io
from collections.abc import Callable

import numpy as np
import pytest
import torch
from PIL import Image, ImageEnhance, ImageOps

from supcon.serving.auditing.label_estimators import other_neighbours
from supcon.serving.auditing.near_duplicates import near_duplicates, small_pictures


def photograph(seed: int) -> Image.Image:
    """Smooth random blotches, which like photographs have structure at all scales."""
    noise = np.random.default_rng(seed).integers(0, 256, (12, 16, 3), dtype=np.uint8)
    return Image.fromarray(noise).resize((120, 90), Image.Resampling.BICUBIC)


def as_jpeg(image: Image.Image) -> Image.Image:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=40)
    return Image.open(buffer)


COPIES: dict[str, Callable[[Image.Image], Image.Image]] = {
    "copy": lambda image: image,
    "jpeg": as_jpeg,
    "half": lambda image: image.resize((60, 45)),
    "dark": lambda image: ImageEnhance.Brightness(image).enhance(0.6),
    "mirrored": ImageOps.mirror,
}


def pictures(images: list[Image.Image]) -> np.ndarray:
    side = [np.asarray(image.convert("L").resize((64, 64))) for image in images]
    return small_pictures(torch.from_numpy(np.stack(side)[:, None]))


@pytest.mark.parametrize("kind", COPIES)
def test_copies_are_found_and_nothing_else(kind: str) -> None:
    images = [photograph(seed) for seed in range(40)]
    images += [COPIES[kind](image) for image in images[:5]]
    found_pictures = pictures(images)
    rows = np.concatenate([found_pictures[:40], found_pictures[:5]]).astype(
        np.float32
    )  # an encoder that sees no difference
    found = near_duplicates(other_neighbours(rows, 20), found_pictures)
    pairs = sorted(zip(found.first.tolist(), found.second.tolist(), strict=True))
    assert pairs == [(at, 40 + at) for at in range(5)]
    assert found.similarity.min() > 0.95


def test_pictures_that_are_all_alike_are_no_duplicates() -> None:
    """As in Fashion-MNIST: correlations of 0.97 are usual there, so that one of 0.98 says nothing."""
    base = photograph(0)
    generator = np.random.default_rng(0)
    images = []
    for _ in range(40):
        pixels = np.asarray(base.resize((32, 32)), dtype=np.float32)
        images.append(Image.fromarray(np.clip(pixels + generator.normal(0, 12, pixels.shape), 0, 255).astype(np.uint8)))
    found_pictures = pictures(images)
    alike = found_pictures.astype(np.float32) @ found_pictures.astype(np.float32).T
    assert np.median(alike) > 0.95
    found = near_duplicates(other_neighbours(found_pictures.astype(np.float32), 20), found_pictures)
    assert len(found.first) == 0
