"""Batches of a split that is held in memory: a shuffled index is cut in pieces, each piece slices once."""

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Sampler

from supcon.data.image_data import Split
from supcon.errors import RequestError


class EpochBatches(Sampler[Tensor]):
    """The index of every batch of an epoch.

    The order depends on nothing but seed and epoch, so a resumed run sees what an uninterrupted one would have seen.
    The last partial batch is dropped where `shuffle` (training): its loss would be over fewer negatives.
    """

    def __init__(self, images: int, batch_size: int, *, shuffle: bool, seed: int) -> None:
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

    def __iter__(self) -> Iterator[Tensor]:
        order = torch.arange(self.images)
        if self.shuffle:
            generator = torch.Generator().manual_seed(self.seed * 1_000_003 + self.epoch)
            order = torch.randperm(self.images, generator=generator)
        yield from order.split(self.batch_size)[: len(self)]


def training_loader(split: Split, batch_size: int, seed: int) -> "DataLoader[Tensor]":
    """Shuffled full batches of (images, labels)."""
    batches = EpochBatches(len(split), batch_size, shuffle=True, seed=seed)
    return _loader(split, batches)


def ordered_loader(split: Split, batch_size: int) -> "DataLoader[Tensor]":
    """Every image once, in order, the last partial batch included."""
    return _loader(split, EpochBatches(len(split), batch_size, shuffle=False, seed=0))


def _loader(split: Split, batches: EpochBatches) -> "DataLoader[Tensor]":
    # batch_size=None: the sampler's items are whole batches already, nothing is collated image by image.
    return DataLoader(split, sampler=batches, batch_size=None)  # type: ignore[arg-type]
