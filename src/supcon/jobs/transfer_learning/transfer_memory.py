"""Chooses the micro-batch of fine-tuning by the memory, before the first step."""

from dataclasses import replace

from supcon.base.errors import RequestError
from supcon.base.progress import say
from supcon.encoder import Encoder
from supcon.jobs.planning.activation_memory import activation_bytes, weight_bytes
from supcon.jobs.planning.fit_to_memory import SMALLEST_MICRO_BATCH, free_and_used, micro_batch_of, rows_that_fit
from supcon.jobs.transfer_learning.config import TransferConfig
from supcon.jobs.transfer_learning.fine_tune import has_batch_norm
from supcon.jobs.transfer_learning.transfer_task import Task
from supcon.stages import HardwareConfig


def hardware_of(encoder: Encoder) -> HardwareConfig:
    """The device that the encoder is on."""
    return HardwareConfig(device="gpu" if encoder.mean.device.type == "cuda" else "cpu")


def fit_transfer_to_memory(encoder: Encoder, task: Task, config: TransferConfig) -> TransferConfig:
    """`config` with a micro-batch, if a batch does not fit into memory; says so.

    A value that the user has set stays. Raises an error if not even the smallest micro-batch fits.
    """
    if config.protocol == "linear" or config.micro_batch is not None:
        return config
    row = activation_bytes(encoder, len(encoder.mean), task.image_size)
    weights, hardware = weight_bytes(encoder), hardware_of(encoder)
    fitting = rows_that_fit(row, weights, hardware)
    batch = min(config.batch_size, len(task.train) + len(task.validation))
    if batch <= fitting:
        return config
    smallest = min(batch, SMALLEST_MICRO_BATCH)
    needed, free = weights + smallest * row, free_and_used(hardware)[0]
    if needed > free:
        raise RequestError(
            f"Fine-tuning on {smallest} images of {task.image_size} pixels at a time needs about {needed / 1e9:.1f} "
            f"GB, but {free / 1e9:.1f} GB are free; use --protocol linear, which trains no encoder, or a smaller "
            "--image-size."
        )
    if (micro_batch := micro_batch_of(fitting)) >= batch:
        return config
    say(_sentence(encoder, batch, micro_batch, batch * row, task.image_size))
    return replace(config, micro_batch=micro_batch)


def _sentence(encoder: Encoder, batch: int, micro_batch: int, needed: float, size: int) -> str:
    place = "on the GPU" if encoder.mean.device.type == "cuda" else "into half of the free memory"
    text = (
        f"A batch of {batch} images of {size} pixels needs about {needed / 1e9:.1f} GB, which does not fit {place}: "
        f"at most {micro_batch} at a time go through the network, and their gradients are added. The step is that of "
        "the whole batch"
    )
    if not has_batch_norm(encoder):
        return f"{text}."
    return (
        f"{text}, except that batch norm uses the statistics of {micro_batch} images or fewer; --batch-size "
        f"{micro_batch} takes whole, smaller steps instead."
    )
