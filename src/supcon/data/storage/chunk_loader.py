"""Chunks of a long list of images, in order, made by worker processes if there are many.

Processes and not threads, because for a small JPEG Pillow spends most of its time holding the GIL.
"""

from collections.abc import Iterator
from typing import Any, TypeVar

from torch.utils.data import Dataset

from supcon.base.cores import usable_cores
from supcon.data.worker_loader import WorkerLoader

Chunk = TypeVar("Chunk")

_WORTH_WORKERS = 512
"""Starting worker processes takes as long as decoding this many small images."""


def load_chunks(make_chunk: Dataset[Chunk], start: int, stop: int, size: int, *, workers: bool) -> Iterator[Chunk]:
    """`make_chunk[rows]` for ranges of `size` rows from `start` to `stop`; `workers`: whether processes may do it."""
    yield from WorkerLoader(
        make_chunk,
        sampler=[range(row, min(row + size, stop)) for row in range(start, stop, size)],
        batch_size=None,
        num_workers=usable_cores() if workers and stop - start >= _WORTH_WORKERS else 0,
        collate_fn=_unchanged,
    )


def _unchanged(chunk: Any) -> Any:
    return chunk
