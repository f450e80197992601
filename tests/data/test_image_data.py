import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import TypeCheckError

from supcon.data.image_data import ImageData, Split, channel_statistics


def split(images: int, channels: int = 3, size: int = 4) -> Split:
    return Split(images=torch.zeros(images, channels, size, size, dtype=torch.uint8), labels=torch.arange(images))


@settings(deadline=None)
@given(st.integers(1, 600), st.integers(1, 3), st.integers(1, 3), st.integers(0, 100))
def test_statistics_are_those_of_all_pixels(images: int, channels: int, size: int, seed: int) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (images, channels, size, size), dtype=np.uint8)
    mean, std = channel_statistics(torch.from_numpy(pixels))
    reference = pixels.astype(np.float64) / 255
    spread = reference.std(axis=(0, 2, 3))
    np.testing.assert_allclose(mean, reference.mean(axis=(0, 2, 3)), rtol=1e-12)
    np.testing.assert_allclose(std, np.where(spread == 0, 1, spread), rtol=1e-9)


def test_a_constant_channel_is_divided_by_one() -> None:
    images = torch.full((7, 2, 3, 3), 77, dtype=torch.uint8)
    images[0, 1] = 0
    _, std = channel_statistics(images)
    assert std[0] == 1
    assert std[1] == pytest.approx(images[:, 1].double().div(255).std(correction=0).item())


def test_statistics_take_a_view_of_a_larger_set() -> None:
    images = torch.arange(96, dtype=torch.uint8).view(2, 3, 4, 4)
    assert channel_statistics(images[:, :, ::2, ::2]) == channel_statistics(images[:, :, ::2, ::2].contiguous())


def test_a_split_is_indexed_by_batches() -> None:
    images = torch.arange(5, dtype=torch.uint8).view(5, 1, 1, 1)
    batch, labels = Split(images=images, labels=torch.arange(5) * 10)[torch.tensor([3, 1])]
    assert batch.flatten().tolist() == [3, 1]
    assert labels.tolist() == [30, 10]


def test_images_and_labels_of_a_split_belong_together() -> None:
    with pytest.raises(TypeCheckError):
        Split(images=torch.zeros(3, 1, 2, 2, dtype=torch.uint8), labels=torch.zeros(4, dtype=torch.int64))


def test_data_describes_itself() -> None:
    data = ImageData(
        name="some",
        class_names=("a", "b"),
        train=split(6),
        validation=split(3),
        test=split(2),
        image_size=3,
        mean=(0.5,) * 3,
        std=(0.2,) * 3,
    )
    assert (data.channels, data.stored_size, data.image_size) == (3, 4, 3)
    assert data.counts == {"train": 6, "validation": 3, "test": 2}
