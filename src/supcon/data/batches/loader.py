"""Batches of a split: an index for every step, divided among the processes, each part read as one slice."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Sampler

from supcon.base.cores import usable_cores
from supcon.base.errors import RequestError
from supcon.data.batches.samplers import Draw, choose_draw, draw_plain
from supcon.data.config import SamplerName
from supcon.data.image_data import Split
from supcon.data.worker_loader import WorkerLoader

ImageTransform = Callable[[Tensor, int, int, int], Tensor]
"""`per_image(pixels, epoch, index, repeat)`: a worker's transform of one image; its randomness depends on these."""


class BatchIndex(NamedTuple):
    """The images of a batch."""

    epoch: int
    images: Tensor
    """Their indices in the split."""

    repeats: Tensor
    """How often each image was drawn before in this epoch; more than 0 only with a sampler that repeats images."""


class EpochBatches(Sampler[BatchIndex]):
    """The indices of every batch of an epoch; under DDP each process gets an equal part of every batch.

    The order depends only on seed and epoch, so a resumed run gets the same batches as an uninterrupted one.
    `batch_size` counts the images of a step over all processes: the parts of all ranks, concatenated, are the batch of
    a single process. No image is on two ranks and none is repeated as padding.
    With `shuffle` (training) the last partial batch is dropped: its loss would have fewer negatives.
    """

    def __init__(
        self,
        images: int,
        batch_size: int,
        *,
        shuffle: bool,
        seed: int = 0,
        draw: Draw = draw_plain,
        rank: int | None = None,
        processes: int | None = None,
    ) -> None:
        if shuffle and batch_size > images:
            raise RequestError(
                f"The batch size {batch_size} is larger than the training set of {images} images; "
                f"use --batch-size {max(2, images // 2)} or less."
            )
        self.images, self.batch_size, self.shuffle, self.seed = images, batch_size, shuffle, seed
        self.draw, self.rank, self.processes = draw, rank, processes
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Called by Lightning at the start of every epoch."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self.images // self.batch_size if self.shuffle else -(-self.images // self.batch_size)

    def __iter__(self) -> Iterator[BatchIndex]:
        if not self.shuffle:  # evaluation: every process gets all images
            for index in torch.arange(self.images).split(self.batch_size):
                yield BatchIndex(self.epoch, index, torch.zeros_like(index))
            return
        own = self._own_part()
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + self.epoch)
        drawn = torch.zeros(self.images, dtype=torch.int64)
        for index in self.draw(self.images, self.batch_size, generator):
            repeats = _count_repeats(index, drawn)
            yield BatchIndex(self.epoch, index[own], repeats[own])

    def _own_part(self) -> slice:
        """This process's part of every batch; computed late, because the process group starts after the loader."""
        rank, processes = process_place()
        rank = rank if self.rank is None else self.rank
        processes = processes if self.processes is None else self.processes
        if self.batch_size % processes:
            raise RequestError(
                f"A batch of {self.batch_size} images cannot be divided evenly among {processes} processes; "
                f"use --batch-size {max(1, self.batch_size // processes) * processes}."
            )
        part = self.batch_size // processes
        return slice(rank * part, (rank + 1) * part)


def _count_repeats(index: Tensor, drawn: Tensor) -> Tensor:
    """How often each image was drawn before, in earlier batches and in this one; adds this batch to `drawn`."""
    order = index.argsort(stable=True)
    equal = index[order]
    first = torch.searchsorted(equal, equal)
    repeats = torch.empty_like(index)
    repeats[order] = drawn[equal] + torch.arange(len(index)) - first
    drawn += index.bincount(minlength=len(drawn))
    return repeats


def process_place() -> tuple[int, int]:
    """Rank and world size; (0, 1) if training is not distributed."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return 0, 1


class SplitBatches(Dataset[tuple[Tensor, Tensor]]):
    """Batches of a split; `per_image`, if given, is applied to each image, in the worker that reads the batch."""

    def __init__(self, split: Split, per_image: ImageTransform | None = None) -> None:
        self.split, self.per_image = split, per_image

    def __getitem__(self, batch: BatchIndex) -> tuple[Tensor, Tensor]:
        epoch, index, repeats = batch
        if self.per_image is None:
            return self.split[index]
        images = zip(self.split.whole(index), index.tolist(), repeats.tolist(), strict=True)
        views = [self.per_image(image, epoch, index, repeat) for image, index, repeat in images]
        return torch.stack(views), self.split.labels[index]


def training_loader(
    split: Split,
    batch_size: int,
    seed: int,
    per_image: ImageTransform | None = None,
    *,
    sampler: SamplerName = "plain",
    images_per_class: int = 1,
    local_processes: int = 1,
    pin_memory: bool = False,
) -> "DataLoader[tuple[Tensor, Tensor]]":
    """Shuffled full batches of (images, labels); with `per_image`, made by one worker process per core.

    The training processes of a machine, `local_processes`, divide its cores among them. `pin_memory` lets a batch be
    copied to a GPU while the GPU is computing.
    """
    draw = choose_draw(sampler, split.labels, images_per_class)
    batches = EpochBatches(len(split), batch_size, shuffle=True, seed=seed, draw=draw)
    dataset = SplitBatches(split, per_image)
    return _loader(dataset, batches, persistent=True, local_processes=local_processes, pin_memory=pin_memory)


def ordered_loader(split: Split, batch_size: int) -> "DataLoader[tuple[Tensor, Tensor]]":
    """Every image once, in order, including the last partial batch."""
    return _loader(SplitBatches(split), EpochBatches(len(split), batch_size, shuffle=False), persistent=False)


def _loader(
    dataset: SplitBatches,
    batches: EpochBatches,
    *,
    persistent: bool,
    local_processes: int = 1,
    pin_memory: bool = False,
) -> "DataLoader[tuple[Tensor, Tensor]]":
    # Slicing images in memory needs no workers: they would only copy them between processes.
    busy = dataset.per_image is not None or dataset.split.read_in_workers
    workers = max(1, usable_cores() // local_processes) if busy else 0
    options: dict[str, Any] = {"persistent_workers": persistent} if workers else {}
    options["pin_memory"] = pin_memory
    # batch_size=None: the sampler's items are whole batches, so there is nothing to collate.
    return WorkerLoader(dataset, sampler=batches, batch_size=None, num_workers=workers, **options)
