"""Collective operations: means and tensors over all processes."""

import torch
import torch.distributed as dist
from torch import Tensor

from supcon.views import Mixed, mixed_pair_weights


def is_distributed() -> bool:
    """Whether there are other processes."""
    return dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1


def mean_over_processes(value: Tensor) -> Tensor:
    """The mean over all processes, without a gradient; `value` itself if there is only one process."""
    if not is_distributed():
        return value
    value = value.detach().clone()
    dist.all_reduce(value)
    return value / dist.get_world_size()


def gathered_pair_weights(labels: Tensor | None, mixed: Mixed, views: int) -> Tensor:
    """`mixed_pair_weights` of this process's rows with the rows of all processes, by rank: [own row, row of all].

    All processes have the same number of rows, which the samplers guarantee.
    """
    if not is_distributed():
        return mixed_pair_weights(labels, mixed, views)
    rows, rank = len(mixed.shares), dist.get_rank()
    everyone = Mixed(mixed.images, gather(mixed.partners + rank * rows), gather(mixed.shares))
    weights = mixed_pair_weights(None if labels is None else gather(labels), everyone, views)
    return weights[rank * rows : (rank + 1) * rows]


def gather(values: Tensor) -> Tensor:
    """The values of all processes, concatenated by rank; without a gradient."""
    parts = [torch.empty_like(values) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, values.contiguous())
    return torch.cat(parts)
