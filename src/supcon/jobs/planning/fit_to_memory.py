"""Chooses a micro-batch that fits into memory, unless the user has set one."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import torch

from supcon.base.memory import available_memory, process_memory
from supcon.data import ImageData
from supcon.encoder import Encoder
from supcon.jobs.planning.activation_memory import activation_bytes, weight_bytes
from supcon.recipes import Recipe
from supcon.stages import HardwareConfig, on_gpu

_CPU_SHARE = 0.5
"""Usable fraction of the available memory; the rest is for other programs."""
_GPU_SHARE = 0.85
"""Usable fraction of a GPU's free memory; other programs rarely need it."""
SMALLEST_MICRO_BATCH = 4
"""Batch norm normalizes each micro-batch by its own statistics."""


@dataclass(frozen=True, kw_only=True)
class MemoryEstimate:
    """Peak memory of a run, in GB."""

    needed: float
    available: float
    """Free memory plus that of this process."""
    where: str
    """`the GPU` or `this machine`."""


def fit_to_memory(
    recipe: Recipe, data: ImageData, encoder: Encoder, given: Collection[str] = ()
) -> tuple[Recipe, MemoryEstimate]:
    """The recipe, with a micro-batch if its batch does not fit into memory, and the estimated memory.

    With several processes no micro-batch is chosen: all need the same one, and none knows the others' memory.
    """
    half = recipe.hardware.precision != "32-true"
    row = activation_bytes(encoder, data.channels, data.image_size, half=half, frozen=recipe.stage1.frozen_layers)
    weights, (free, had) = weight_bytes(encoder), free_and_used(recipe.hardware)
    processes = recipe.hardware.devices * recipe.hardware.num_nodes
    images = recipe.stage1.batch_size // processes
    fitting = rows_that_fit(row, weights, recipe.hardware) // recipe.views.count
    if images > fitting and processes == 1 and "stage1.micro_batch" not in given:
        micro_batch = micro_batch_of(fitting)
        if recipe.stage1.micro_batch is None and micro_batch < images:
            recipe = replace(recipe, stage1=replace(recipe.stage1, micro_batch=micro_batch))
    at_once = min(images, recipe.stage1.micro_batch or images)
    needed = had + weights + at_once * recipe.views.count * row
    where = "the GPU" if on_gpu(recipe.hardware) else "this machine"
    return recipe, MemoryEstimate(needed=needed / 1e9, available=(free + had) / 1e9, where=where)


def rows_that_fit(row: float, weights: float, hardware: HardwareConfig) -> int:
    """Number of rows of `row` bytes each that fit beside `weights` bytes into the usable share of the free memory."""
    share = _GPU_SHARE if on_gpu(hardware) else _CPU_SHARE
    return int(max(0, share * free_and_used(hardware)[0] - weights) / row)


def micro_batch_of(fitting: int) -> int:
    """The largest power of two that is at most `fitting`, at least the smallest micro-batch.

    >>> micro_batch_of(100), micro_batch_of(0)
    (64, 4)
    """
    return max(SMALLEST_MICRO_BATCH, 1 << max(fitting.bit_length() - 1, 1))


def free_and_used(hardware: HardwareConfig) -> tuple[float, float]:
    """Free bytes, and bytes that this process uses already."""
    if on_gpu(hardware):
        free, _ = torch.cuda.mem_get_info()
        return free, torch.cuda.memory_allocated()
    return available_memory(), process_memory()
