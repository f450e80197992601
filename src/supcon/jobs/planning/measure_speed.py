"""Measures the parts of a training step on this machine, on a few rows for about a second."""

import time
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from functools import partial
from typing import NamedTuple

import torch
from torch import nn

from supcon.base.cores import usable_cores
from supcon.data import Split
from supcon.encoder import Encoder, frozen_layers
from supcon.stages import HardwareConfig, run_device
from supcon.views import ViewMaker

_FEWEST_ROWS = 16
_LONG_ENOUGH = 0.25
"""Seconds that a measurement must take to be reliable."""
_SHORT_ENOUGH = 1.0
"""Up to these seconds a step is also measured on more rows, as long as a row gets cheaper: beside other programs a step
of few rows mostly waits, so that its seconds per row would be many times too high."""
_CHEAPER = 0.75
"""What the seconds per row must fall to for another measurement."""
_IN_WORKERS, _IN_STEP = 8, 128
"""Number of images for timing the views: made one by one in the workers, or all at once in the step."""
_TRIES = 2
"""Repetitions of a measurement; the shortest counts, since other programs disturbed it least."""


class EncoderSpeed(NamedTuple):
    """Seconds per row of an encoder."""

    train: float
    """In training: forward, backward and optimizer step."""
    encode: float
    """In inference: forward only."""


class ViewSpeed(NamedTuple):
    """Seconds per view."""

    in_workers: float
    """In the loader's workers, divided by their number."""
    in_step: float
    """Between two steps."""

    def with_training(self, seconds: float, gpu: bool) -> float:
        """Time per row if the encoder takes `seconds`: a GPU runs in parallel with the workers, a CPU is shared."""
        return self.in_step + (max(self.in_workers, seconds) if gpu else self.in_workers + seconds)


def measure_encoder(
    encoder: Encoder, channels: int, image_size: int, hardware: HardwareConfig, rows: int, frozen: int = 0
) -> EncoderSpeed:
    """Trains a copy of `encoder` on more and more rows of noise, at most `rows`, until a step takes long enough.

    Its first `frozen` layers are frozen.
    """
    network = deepcopy(encoder).to(run_device(hardware))
    with frozen_layers(network, frozen):
        return _measure(network.train(), channels, image_size, hardware, rows)


def _measure(network: Encoder, channels: int, image_size: int, hardware: HardwareConfig, rows: int) -> EncoderSpeed:
    device = network.mean.device
    images = torch.randint(256, (max(rows, 2), channels, image_size, image_size), dtype=torch.uint8, device=device)
    trained = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimizer = torch.optim.SGD(trained, lr=0.0, momentum=0.9)
    count = min(_FEWEST_ROWS, len(images))
    step = partial(_train_step, network, optimizer=optimizer, hardware=hardware)
    step(images[:count])  # warm-up
    seconds = min(step(images[:count]) for _ in range(_TRIES))
    before = float("inf")
    while count < len(images) and (
        seconds < _LONG_ENOUGH or (seconds < _SHORT_ENOUGH and seconds / count < _CHEAPER * before)
    ):
        before, count = seconds / count, min(4 * count, len(images))
        seconds = min(step(images[:count]) for _ in range(_TRIES))
    encode = min(_encode(network, images[:count], hardware) for _ in range(_TRIES))
    return EncoderSpeed(train=seconds / count, encode=encode / count)


def measure_views(maker: ViewMaker, split: Split, device: torch.device) -> ViewSpeed:
    """Times the views of a few images, made in the same way as in training on `device`."""
    few = split.pick(slice(_IN_WORKERS if maker.in_loader is not None else _IN_STEP))
    tries = [_make_views(maker, few, device) for _ in range(1 + _TRIES)]  # the first is a warm-up
    return ViewSpeed(
        in_workers=min(one.in_workers for one in tries) / usable_cores(),
        in_step=min(one.in_step for one in tries),
    )


def _make_views(maker: ViewMaker, split: Split, device: torch.device) -> ViewSpeed:
    generator = torch.Generator().manual_seed(0)
    start = time.perf_counter()
    rows = torch.arange(len(split))
    if maker.in_loader is None:
        batch, _ = split[rows]
    else:
        batch = torch.stack([maker.in_loader(image, generator) for image in split.whole(rows)])
    loaded = time.perf_counter()
    views = maker(batch.to(device), generator)
    made = views.shape[0] * views.shape[1]
    return ViewSpeed(in_workers=(loaded - start) / made, in_step=(_now(device) - loaded) / made)


def _train_step(
    network: nn.Module, images: torch.Tensor, optimizer: torch.optim.Optimizer, hardware: HardwareConfig
) -> float:
    start = _now(images.device)
    with _precision(images, hardware):
        rows = network(images).float()
    # Random gradients: those of a smooth function can be denormal, which makes a CPU ten times slower.
    rows.backward(torch.randn_like(rows))
    optimizer.step()
    optimizer.zero_grad()
    return _now(images.device) - start


def _encode(network: nn.Module, images: torch.Tensor, hardware: HardwareConfig) -> float:
    network.eval()
    start = _now(images.device)
    with torch.inference_mode(), _precision(images, hardware):
        network(images)
    return _now(images.device) - start


def _precision(images: torch.Tensor, hardware: HardwareConfig) -> AbstractContextManager[object]:
    if hardware.precision == "32-true":
        return nullcontext()
    kind = torch.bfloat16 if hardware.precision == "bf16-mixed" else torch.float16
    return torch.autocast(images.device.type, dtype=kind)


def _now(device: torch.device) -> float:
    """The time at which everything that was started on the device is done."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()
