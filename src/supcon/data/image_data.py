"""Labelled images in memory, and what an encoder has to know of them."""

from dataclasses import dataclass

import torch
from torch import Tensor

from supcon.shapes import Images, Labels


@dataclass(frozen=True, kw_only=True)
class Split:
    """Some images with their labels, decoded once, uint8. Indexing gives a batch, so a loader only slices."""

    images: Images
    labels: Labels

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: Tensor) -> tuple[Images, Labels]:
        return self.images[index], self.labels[index]


@dataclass(frozen=True, kw_only=True)
class ImageData:
    """A data set in the three splits every run has."""

    name: str
    class_names: tuple[str, ...]
    train: Split
    validation: Split
    test: Split
    image_size: int
    """Side of the square that the encoder sees; stored images may be larger, views crop and `centre_crop` cuts."""
    mean: tuple[float, ...]
    std: tuple[float, ...]

    @property
    def channels(self) -> int:
        return self.train.images.shape[1]

    @property
    def stored_size(self) -> int:
        return self.train.images.shape[-1]

    @property
    def counts(self) -> dict[str, int]:
        return {"train": len(self.train), "validation": len(self.validation), "test": len(self.test)}


def channel_statistics(images: Images) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and standard deviation of every channel, of pixels scaled to 0..1.

    Exact, from how often each of the 256 values occurs, so that no float copy of the images is ever made.

    >>> channel_statistics(torch.tensor([0, 255], dtype=torch.uint8).view(2, 1, 1, 1))
    ((0.5,), (0.5,))
    """
    occurrences = torch.zeros(images.shape[1], 256, dtype=torch.int64)
    for chunk in images.split(256):
        for channel, pixels in enumerate(chunk.unbind(1)):
            occurrences[channel] += pixels.flatten().bincount(minlength=256)
    share = occurrences.double() / occurrences.sum(1, keepdim=True)
    values = torch.arange(256, dtype=torch.float64) / 255
    mean = share @ values
    std = (share * (values - mean[:, None]).square()).sum(1).sqrt()
    # A constant channel has no spread to divide by; one keeps it finite.
    std = torch.where(std < 1e-6, torch.ones_like(std), std)
    return tuple(mean.tolist()), tuple(std.tolist())
