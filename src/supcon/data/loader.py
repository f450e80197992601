"""Batches of a split that is held in memory: a shuffled index is cut in pieces, each piece slices once."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Sampler

from supcon.data.image_data import Split
from supcon.errors import RequestError

PerImage = Callable[[Tensor, int, int], Tensor]
"""`per_image(pixels, epoch, index)`: what a worker makes of one image; random only through epoch and index."""

Batch = tuple[int, Tensor]
"""The epoch, and the index of a batch's images."""


class EpochBatches(Sampler[Batch]):
    """The index of every batch of an epoch.

    The order depends on nothing but seed and epoch, so a resumed run sees what an uninterrupted one would have seen.
    The last partial batch is dropped where `shuffle` (training): its loss would be over fewer negatives.
    """

    def __init__(self, images: int, batch_size: int, *, shuffle: bool, seed: int = 0) -> None:
        if shuffle and batch_size > images:
            raise RequestError(
                f"The batch size {batch_size} is larger than the training set of {images} images; "
                f"use --batch-size {max(2, images // 2)} or less."
            )
        self.images, self.batch_size, self.shuffle, self.seed = images, batch_size, shuffle, seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Called by Lightning at the start of every epoch."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self.images // self.batch_size if self.shuffle else -(-self.images // self.batch_size)

    def __iter__(self) -> Iterator[Batch]:
        order = torch.arange(self.images)
        if self.shuffle:
            generator = torch.Generator().manual_seed(self.seed * 1_000_003 + self.epoch)
            order = torch.randperm(self.images, generator=generator)
        for index in order.split(self.batch_size)[: len(self)]:
            yield self.epoch, index


class Batches(Dataset[tuple[Tensor, Tensor]]):
    """Cuts batches out of a split; a `per_image` step, where there is one, runs where the batch is cut."""

    def __init__(self, split: Split, per_image: PerImage | None = None) -> None:
        self.split, self.per_image = split, per_image

    def __getitem__(self, batch: Batch) -> tuple[Tensor, Tensor]:
        epoch, index = batch
        images, labels = self.split[index]
        if self.per_image is not None:
            views = [self.per_image(image, epoch, int(i)) for image, i in zip(images, index, strict=True)]
            images = torch.stack(views)
        return images, labels


def training_loader(
    split: Split, batch_size: int, seed: int, per_image: PerImage | None = None
) -> "DataLoader[tuple[Tensor, Tensor]]":
    """Shuffled full batches of (images, labels); with `per_image`, made in a worker process for every core."""
    batches = EpochBatches(len(split), batch_size, shuffle=True, seed=seed)
    # Slicing memory needs no workers: they would only copy what is there.
    workers = (os.cpu_count() or 1) if per_image is not None else 0
    return _loader(Batches(split, per_image), batches, workers)


def ordered_loader(split: Split, batch_size: int) -> "DataLoader[tuple[Tensor, Tensor]]":
    """Every image once, in order, the last partial batch included."""
    return _loader(Batches(split), EpochBatches(len(split), batch_size, shuffle=False), workers=0)


def _loader(dataset: Batches, batches: EpochBatches, workers: int) -> "DataLoader[tuple[Tensor, Tensor]]":
    options: dict[str, Any] = {"persistent_workers": True} if workers else {}
    # batch_size=None: the sampler's items are whole batches already, nothing is collated image by image.
    return DataLoader(dataset, sampler=batches, batch_size=None, num_workers=workers, **options)
