"""Rows of all processes, with gradients that flow back to the process they came from.

Under DistributedDataParallel, which averages gradients over processes, a loss computed from gathered rows has exactly
the parameter gradients of one process with the whole batch: each process gets the sum over processes of the gradients
with respect to its rows, which is as many times too large as there are processes, and the average takes that back.
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
    """Whether there is anybody to gather from."""
    return dist.is_available() and dist.is_initialized() and dist.get_world_size(group) > 1


def exchange(numbers: list[float], group: Group) -> list[list[float]]:
    """Each process's list of numbers, by rank; from host to host, so that no process waits for its GPU."""
    own = torch.tensor(numbers, dtype=torch.float64, device="cpu")
    everyone = [torch.empty_like(own) for _ in range(dist.get_world_size(group))]
    dist.all_gather(everyone, own, group=_host_group(group))
    return [numbers.tolist() for numbers in everyone]


def _host_group(group: Group) -> Group:
    """The same processes with a backend for tensors on the host; made at the first call."""
    key = group if group is not None else dist.group.WORLD
    if "cpu:" in str(dist.get_backend_config(group)):
        return group
    if key not in _HOST_GROUPS:
        ranks = dist.get_process_group_ranks(key)
        _HOST_GROUPS[key] = dist.new_group(ranks, backend="gloo", use_local_synchronization=True)
    return _HOST_GROUPS[key]


def gather(rows: Tensor, sizes: list[int], group: Group) -> Tensor:
    """All processes' rows, by rank; `sizes` are how many each has. Gradients are summed and flow back."""
    result: Tensor = _Gather.apply(rows, sizes, group)
    return result


def total(values: Tensor, group: Group) -> Tensor:
    """The sum of all processes' values; so is its gradient."""
    result: Tensor = _Total.apply(values, group)
    return result


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, sizes: list[int], group: Group) -> Tensor:
        ctx.sizes, ctx.group = sizes, group
        # Collectives want equal shapes: shorter batches travel with rows that are cut off again on arrival.
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
