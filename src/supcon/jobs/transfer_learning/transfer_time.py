"""Estimates the time of a transfer before it starts."""

import time
from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor, nn

from supcon.base.durations import about
from supcon.base.progress import say
from supcon.encoder import Encoder
from supcon.jobs.planning.faster import LONG, WORTH, Alternative
from supcon.jobs.planning.measure_speed import EncoderSpeed, measure_encoder
from supcon.jobs.planning.plan import say_faster
from supcon.jobs.transfer_learning.config import TransferConfig
from supcon.jobs.transfer_learning.fine_tune import has_batch_norm
from supcon.jobs.transfer_learning.transfer_memory import hardware_of
from supcon.jobs.transfer_learning.transfer_task import Task

_FEWER_STEPS = (5000, 2000, 500, 200, 50)
_EVALUATIONS = 150
"""Evaluations of the loss in a fit of logistic regression, on average over the penalties: 40 on ants-bees, 125 on 270
CIFAR-10 images, 210 on the digits."""
_ROWS, _TRIES = 4096, 5


def say_time(encoder: Encoder, task: Task, config: TransferConfig) -> None:
    """Prints the estimated time of the whole search; above half an hour also faster alternatives."""
    speed = _speed(encoder, task, config)
    fit = _evaluation_seconds(encoder, task)
    seconds = _seconds(speed, fit, task, config)
    say(f"{task.name}, {config.protocol}: {config.summary}, about {about(seconds)} at the machine's current load.")
    if seconds > LONG:
        shorter = [one for one in _faster(speed, fit, encoder, task, config) if one.seconds <= WORTH * seconds]
        if shorter:
            say_faster(sorted(shorter, key=lambda one: one.seconds))


def transfer_seconds(encoder: Encoder, task: Task, config: TransferConfig) -> float:
    """Seconds to train and validate every candidate, and to train and test the best one; views are neglected."""
    return _seconds(_speed(encoder, task, config), _evaluation_seconds(encoder, task), task, config)


def _evaluation_seconds(encoder: Encoder, task: Task) -> float:
    """Seconds of one evaluation of the loss of logistic regression and its gradient, on all training images."""
    rows = min(len(task.train), _ROWS)
    layer = nn.Linear(encoder.width, task.classes, dtype=torch.float64, device=encoder.mean.device)
    images = torch.randn(rows, encoder.width, dtype=torch.float64, device=encoder.mean.device)
    tries = [_evaluate(layer, images) for _ in range(1 + _TRIES)]  # the first is a warm-up
    return sum(tries[1:]) / _TRIES * len(task.train) / rows


def _evaluate(layer: nn.Linear, images: Tensor) -> float:
    start = time.perf_counter()
    loss = layer(images).logsumexp(1).mean()
    loss.backward()
    loss.item()  # waits for a GPU
    return time.perf_counter() - start


def _speed(encoder: Encoder, task: Task, config: TransferConfig, image_size: int | None = None) -> EncoderSpeed:
    rows = min(config.micro_batch or config.batch_size, len(task.train))
    return measure_encoder(encoder, len(encoder.mean), image_size or task.image_size, hardware_of(encoder), rows)


def _seconds(speed: EncoderSpeed, fit: float, task: Task, config: TransferConfig) -> float:
    if config.protocol == "linear":
        fits = (len(config.candidates) + 1) * _EVALUATIONS * fit
        return speed.encode * sum(len(split) for split in (task.train, task.validation, task.test)) + fits
    trainings = len(config.candidates) + 1
    encoded = len(config.candidates) * len(task.validation) + len(task.test)
    batch = min(config.batch_size, len(task.train))
    return trainings * config.steps * batch * speed.train + encoded * speed.encode


def _faster(
    speed: EncoderSpeed, fit: float, encoder: Encoder, task: Task, config: TransferConfig
) -> Iterator[Alternative]:
    """What is not chosen yet and takes less time; each is for itself, only fewer steps come with the small grid."""
    if config.protocol == "linear":
        return
    linear = replace(config, protocol="linear")
    yield Alternative("--protocol linear", "trains no encoder", _seconds(speed, fit, task, linear))
    small, grid = replace(config, grid="small"), ""
    if config.grid != "small":
        grid = "--grid small "
        what = f"{len(small.candidates)} instead of {len(config.candidates)} candidates"
        yield Alternative(grid.strip(), what, _seconds(speed, fit, task, small))
    if (steps := _fewer_steps(speed, fit, task, small)) is not None:
        what = f"{steps} instead of {config.steps:,} steps"
        yield Alternative(f"{grid}--steps {steps}", what, _seconds(speed, fit, task, replace(small, steps=steps)))
    size = 32 * round(task.image_size / 64)
    # Networks with batch norm are convolutional: they take images of any size, which transformers do not.
    if 64 <= size < task.image_size and has_batch_norm(encoder):
        seconds = _seconds(_speed(encoder, task, config, size), fit, task, config)
        yield Alternative(f"--image-size {size}", f"images of {size} instead of {task.image_size} pixels", seconds)


def _fewer_steps(speed: EncoderSpeed, fit: float, task: Task, config: TransferConfig) -> int | None:
    """The most steps that take at most half an hour, the fewest otherwise; None if the config has no more."""
    fewer = [steps for steps in _FEWER_STEPS if steps < config.steps]
    short = (steps for steps in fewer if _seconds(speed, fit, task, replace(config, steps=steps)) <= LONG)
    return next(short, fewer[-1] if fewer else None)
