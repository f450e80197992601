"""Estimates the time of a transfer before it starts."""

from typing import Literal

from supcon.base.durations import about
from supcon.base.progress import say
from supcon.encoder import Encoder
from supcon.jobs.planning.faster import LONG
from supcon.jobs.planning.measure_speed import measure_encoder
from supcon.jobs.transfer_learning.config import TransferConfig
from supcon.jobs.transfer_learning.transfer_task import Task
from supcon.stages import HardwareConfig


def say_time(encoder: Encoder, task: Task, config: TransferConfig) -> None:
    """Prints the estimated time of the whole search; above half an hour also faster alternatives."""
    seconds = transfer_seconds(encoder, task, config)
    say(f"{task.name}, {config.protocol}: {config.summary}, about {about(seconds)} at the machine's current load.")
    if seconds > LONG and config.protocol == "fine-tune":
        say("Faster: --grid small (3 candidates), --steps 500 (fewer steps), or --protocol linear (no fine-tuning).")


def transfer_seconds(encoder: Encoder, task: Task, config: TransferConfig) -> float:
    """Seconds to train and validate every candidate, and to train and test the best one; views are neglected."""
    device: Literal["cpu", "gpu"] = "gpu" if encoder.mean.device.type == "cuda" else "cpu"
    batch = min(config.batch_size, len(task.train))
    speed = measure_encoder(encoder, len(encoder.mean), task.image_size, HardwareConfig(device=device), batch)
    if config.protocol == "linear":
        return speed.encode * sum(len(split) for split in (task.train, task.validation, task.test))
    trainings = len(config.candidates) + 1
    encoded = len(config.candidates) * len(task.validation) + len(task.test)
    return trainings * config.steps * batch * speed.train + encoded * speed.encode
