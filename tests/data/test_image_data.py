import pytest
import torch
from jaxtyping import TypeCheckError

from supcon.data.image_data import ImageData, Split


def split(images: int, channels: int = 3, size: int = 4) -> Split:
    return Split(images=torch.zeros(images, channels, size, size, dtype=torch.uint8), labels=torch.arange(images))


def test_a_split_is_indexed_by_batches() -> None:
    images = torch.arange(5, dtype=torch.uint8).view(5, 1, 1, 1)
    batch, labels = Split(images=images, labels=torch.arange(5) * 10)[torch.tensor([3, 1])]
    assert batch.flatten().tolist() == [3, 1]
    assert labels.tolist() == [30, 10]


def test_images_and_labels_of_a_split_belong_together() -> None:
    with pytest.raises(TypeCheckError):
        Split(images=torch.zeros(3, 1, 2, 2, dtype=torch.uint8), labels=torch.zeros(4, dtype=torch.int64))


def image_data(validation: Split, test: Split) -> ImageData:
    return ImageData(
        name="some",
        class_names=("a", "b"),
        train=Split(images=split(2).images, labels=torch.tensor([0, 1])),
        validation=validation,
        test=test,
        image_size=3,
        mean=(0.5,) * 3,
        std=(0.2,) * 3,
    )


def test_data_describes_itself() -> None:
    data = image_data(split(3), split(2))
    assert (data.channels, data.stored_size, data.image_size) == (3, 4, 3)
    assert data.counts == {"train": 2, "validation": 3, "test": 2}
    assert data.class_counts == {"a": 1, "b": 1}
    assert data.pretraining is data.train
    assert not data.multi_label


def test_the_same_images_in_two_splits() -> None:
    images = torch.arange(300, dtype=torch.int64).to(torch.uint8).view(-1, 1, 1, 1).expand(-1, 3, 4, 4)
    labels = torch.arange(300) % 2
    once, twice = (Split(images=images.clone(), labels=labels) for _ in range(2))
    assert image_data(once, twice).validation_is_test
    assert not image_data(once, once.pick(slice(0, 299))).validation_is_test
    assert not image_data(once, Split(images=images, labels=1 - labels)).validation_is_test
    twice.images[299, 0, 0, 0] += 1
    assert not image_data(once, twice).validation_is_test
