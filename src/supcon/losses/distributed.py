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


def is_distributed() -> bool:
    """Whether there are other processes."""
    return dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1


def rank() -> int:
    """Which process this is."""
    return dist.get_rank()


def exchange(numbers: list[int], device: torch.device) -> list[list[int]]:
    """Each process's list of numbers, by rank."""
    own = torch.tensor(numbers, device=device)
    everyone = [torch.empty_like(own) for _ in range(dist.get_world_size())]
    dist.all_gather(everyone, own)
    return [numbers.tolist() for numbers in everyone]


def gather(rows: Tensor, sizes: list[int]) -> Tensor:
    """All processes' rows, by rank; `sizes` are how many each has. Gradients are summed and flow back."""
    result: Tensor = _Gather.apply(rows, sizes)
    return result


def total(values: Tensor) -> Tensor:
    """The sum of all processes' values; so is its gradient."""
    result: Tensor = _Total.apply(values)
    return result


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, sizes: list[int]) -> Tensor:
        ctx.sizes = sizes
        # Collectives want equal shapes: shorter batches travel with rows that are cut off again on arrival.
        padded = rows.new_zeros(max(sizes), *rows.shape[1:])
        padded[: len(rows)] = rows
        everyone = [torch.empty_like(padded) for _ in sizes]
        dist.all_gather(everyone, padded)
        return torch.cat([part[:size] for part, size in zip(everyone, sizes, strict=True)])

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        gradient = gradient.contiguous().clone()
        dist.all_reduce(gradient)
        first = sum(ctx.sizes[: rank()])
        return gradient[first : first + ctx.sizes[rank()]], None


class _Total(torch.autograd.Function):
    @staticmethod
    def forward(_: Any, values: Tensor) -> Tensor:
        values = values.clone()
        dist.all_reduce(values)
        return values

    @staticmethod
    @once_differentiable
    def backward(_: Any, gradient: Tensor) -> Tensor:
        gradient = gradient.contiguous().clone()
        dist.all_reduce(gradient)
        return gradient
