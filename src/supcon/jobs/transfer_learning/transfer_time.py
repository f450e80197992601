"""How long a transfer will take, said before it begins."""

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
    """The time of the whole search; above half an hour, what would be shorter."""
    seconds = transfer_seconds(encoder, task, config)
    say(f"{task.name}, {config.protocol}: {config.summary}, about {about(seconds)} at the machine's current load.")
    if seconds > LONG and config.protocol == "fine-tune":
        say("Shorter: --grid small tries 3 candidates, --steps 500 takes fewer steps, --protocol linear trains none.")


def transfer_seconds(encoder: Encoder, task: Task, config: TransferConfig) -> float:
    """Every candidate trained and validated, the best one trained again and tested; views and fits take little."""
    device: Literal["cpu", "gpu"] = "gpu" if encoder.mean.device.type == "cuda" else "cpu"
    batch = min(config.batch_size, len(task.train))
    speed = measure_encoder(encoder, len(encoder.mean), task.image_size, HardwareConfig(device=device), batch)
    if config.protocol == "linear":
        return speed.encode * sum(len(split) for split in (task.train, task.validation, task.test))
    trainings = len(config.candidates) + 1
    encoded = len(config.candidates) * len(task.validation) + len(task.test)
    return trainings * config.steps * batch * speed.train + encoded * speed.encode
