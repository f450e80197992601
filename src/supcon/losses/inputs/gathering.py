"""Gathers the rows of all processes, with gradients that flow back to the process of each row.

With DistributedDataParallel, a loss of gathered rows has exactly the parameter gradients of one process with the whole
batch: each process gets the sum, over all processes, of the gradients with respect to its rows, which is the gradient
times the number of processes, and DistributedDataParallel averages over the processes.
"""

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.autograd.function import once_differentiable

Group = Any
"""A `torch.distributed.ProcessGroup`; None: all processes."""

_HOST_GROUPS: dict[Group, Group] = {}


def has_other_processes(group: Group) -> bool:
    """Whether there is more than one process."""
    return dist.is_available() and dist.is_initialized() and dist.get_world_size(group) > 1


def exchange(numbers: list[float], group: Group) -> list[list[float]]:
    """The lists of numbers of all processes, by rank; exchanged between CPUs, so that no GPU is synchronized."""
    own = torch.tensor(numbers, dtype=torch.float64, device="cpu")
    everyone = [torch.empty_like(own) for _ in range(dist.get_world_size(group))]
    dist.all_gather(everyone, own, group=_host_group(group))
    return [numbers.tolist() for numbers in everyone]


def _host_group(group: Group) -> Group:
    """A group of the same processes with a backend for CPU tensors; created at the first call."""
    key = group if group is not None else dist.group.WORLD
    if "cpu:" in str(dist.get_backend_config(group)):
        return group
    if key not in _HOST_GROUPS:
        ranks = dist.get_process_group_ranks(key)
        _HOST_GROUPS[key] = dist.new_group(ranks, backend="gloo", use_local_synchronization=True)
    return _HOST_GROUPS[key]


def gather(rows: Tensor, sizes: list[int], group: Group) -> Tensor:
    """The rows of all processes, by rank; `sizes` are their numbers of rows. Backward sums over all processes."""
    result: Tensor = _Gather.apply(rows, sizes, group)
    return result


def total(values: Tensor, group: Group) -> Tensor:
    """The sum of the values of all processes; backward sums the gradients of all processes."""
    result: Tensor = _Total.apply(values, group)
    return result


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, sizes: list[int], group: Group) -> Tensor:
        ctx.sizes, ctx.group = sizes, group
        # Collectives need equal shapes: shorter batches are padded, and the padding is removed afterwards.
        everyone = rows.new_empty(len(sizes) * max(sizes), *rows.shape[1:])
        dist.all_gather_into_tensor(everyone, _padded(rows, max(sizes)), group=group)
        if min(sizes) == max(sizes):
            return everyone
        parts = everyone.split(max(sizes))
        return torch.cat([part[:size] for part, size in zip(parts, sizes, strict=True)])

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        sizes, group = ctx.sizes, ctx.group
        everyone = gradient.contiguous()
        if min(sizes) != max(sizes):
            everyone = torch.cat([_padded(part, max(sizes)) for part in gradient.split(sizes)])
        own = gradient.new_empty(max(sizes), *gradient.shape[1:])
        dist.reduce_scatter_tensor(own, everyone, group=group)
        return own[: sizes[dist.get_rank(group)]], None, None


def _padded(rows: Tensor, size: int) -> Tensor:
    if rows.shape[0] == size:
        return rows.contiguous()
    padded = rows.new_zeros(size, *rows.shape[1:])
    padded[: rows.shape[0]] = rows
    return padded


class _Total(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, group: Group) -> Tensor:
        ctx.group = group
        values = values.clone()
        dist.all_reduce(values, group=group)
        return values

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        gradient = gradient.contiguous().clone()
        dist.all_reduce(gradient, group=ctx.group)
        return gradient, None
