"""A set of images that a network of a few weights learns in a few steps."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from references.whole_stages import Stages
from supcon.data.image_data import ImageData, Split, channel_statistics
from supcon.encoder.encoder import Encoder, make_encoder
from supcon.projection.projection import Projection
from supcon.stages.linear_stage import make_classifier

Parts = tuple[Encoder, Projection, torch.nn.Linear]
CLASSES = 3


@pytest.fixture(scope="session")
def stripes() -> ImageData:
    """Three classes of 8x8 images: a bright row, a bright column, a bright square, at random places in noise."""
    generator = torch.Generator().manual_seed(0)

    def split(images: int) -> Split:
        labels = torch.arange(images) % CLASSES
        pixels = torch.randint(0, 60, (images, 1, 8, 8), generator=generator)
        for image, label in zip(pixels, labels.tolist(), strict=True):
            row, column = torch.randint(1, 5, (2,), generator=generator).tolist()
            place = [(row, slice(None)), (slice(None), column), (slice(row, row + 3), slice(column, column + 3))][label]
            image[0][place] += 180
        return Split(images=pixels.to(torch.uint8), labels=labels)

    train = split(36)
    mean, std = channel_statistics(train.images[:])
    return ImageData(
        name="stripes",
        class_names=("row", "column", "square"),
        train=train,
        validation=split(9),
        test=split(9),
        image_size=8,
        mean=mean,
        std=std,
    )


@pytest.fixture
def make_parts(stripes: ImageData) -> Callable[[int], Parts]:
    """`make_parts(seed)` gives encoder, projection and classifier with the weights that this seed draws."""

    def make(seed: int = 0) -> Parts:
        torch.manual_seed(seed)
        encoder = make_encoder("small-resnet", channels=1, image_size=8, mean=stripes.mean, std=stripes.std, width=8)
        return encoder, Projection(encoder.width, 8), make_classifier(encoder.width, CLASSES)

    return make


@pytest.fixture
def stages(stripes: ImageData, make_parts: Callable[..., Any], tmp_path: Path) -> Stages:
    return Stages(stripes, make_parts, tmp_path)
