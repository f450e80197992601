"""The micro-batch that fits the memory, where the user has not given one."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import torch

from supcon.base.memory import available_memory, process_memory
from supcon.data import ImageData
from supcon.encoder import Encoder
from supcon.jobs.planning.activation_memory import activation_bytes, weight_bytes
from supcon.recipes import Recipe
from supcon.stages import on_gpu

_CPU_SHARE = 0.5
"""Of the memory that is available now, since other programs want some too."""
_GPU_SHARE = 0.85
"""Of a GPU's free memory, which nobody else is likely to want."""
_SMALLEST = 4
"""Images of a micro-batch: batch norm normalizes each by its own statistics."""


@dataclass(frozen=True, kw_only=True)
class MemoryEstimate:
    """Gigabytes that a run will take at its peak."""

    needed: float
    available: float
    """What there is, what this process has already included."""
    where: str
    """Whose memory it is."""


def fit_to_memory(
    recipe: Recipe, data: ImageData, encoder: Encoder, given: Collection[str] = ()
) -> tuple[Recipe, MemoryEstimate]:
    """The recipe with a micro-batch where its batch does not fit, and what the run will need.

    Several processes that share a batch have to cut it alike, and none knows the others' memory: they get no
    micro-batch unless it is asked for.
    """
    half = recipe.hardware.precision != "32-true"
    row = activation_bytes(encoder, data.channels, data.image_size, half=half, frozen=recipe.stage1.frozen_layers)
    weights, free, had = weight_bytes(encoder), *_memory(recipe)
    processes = recipe.hardware.devices * recipe.hardware.num_nodes
    images = recipe.stage1.batch_size // processes
    share = _GPU_SHARE if on_gpu(recipe.hardware) else _CPU_SHARE
    fitting = int((share * free - weights) / (row * recipe.views.count))
    if images > fitting and processes == 1 and "stage1.micro_batch" not in given:
        micro_batch = max(_SMALLEST, 1 << max(fitting.bit_length() - 1, 1))
        if recipe.stage1.micro_batch is None and micro_batch < images:
            recipe = replace(recipe, stage1=replace(recipe.stage1, micro_batch=micro_batch))
    at_once = min(images, recipe.stage1.micro_batch or images)
    needed = had + weights + at_once * recipe.views.count * row
    where = "the GPU" if on_gpu(recipe.hardware) else "this machine"
    return recipe, MemoryEstimate(needed=needed / 1e9, available=(free + had) / 1e9, where=where)


def _memory(recipe: Recipe) -> tuple[float, float]:
    """Bytes that are free, and that this process has taken already."""
    if on_gpu(recipe.hardware):
        free, _ = torch.cuda.mem_get_info()
        return free, torch.cuda.memory_allocated()
    return available_memory(), process_memory()
