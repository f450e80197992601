"""How long the parts of a training step take on this machine, tried on a few rows for about a second."""

import os
import time
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from functools import partial
from typing import NamedTuple

import torch
from torch import nn

from supcon.data import Split
from supcon.encoder import Encoder, frozen_layers
from supcon.stages import HardwareConfig, on_gpu
from supcon.views import ViewMaker

_FEWEST_ROWS = 16
_LONG_ENOUGH = 0.25
"""Seconds from which on a measurement says enough."""
_IN_WORKERS, _IN_STEP = 8, 128
"""Images that views are made of to see how long they take, one by one or all at once."""
_TRIES = 2
"""Times that a measurement is made: the shortest is the one that other programs disturbed least."""


class EncoderSpeed(NamedTuple):
    """Seconds that an encoder takes."""

    train: float
    """Of every row in training: forward and backward."""
    encode: float
    """Of every row that is only encoded."""


class ViewSpeed(NamedTuple):
    """Seconds that a view takes."""

    in_workers: float
    """In the loader's processes, all of them at work."""
    in_step: float
    """Between two steps."""

    def with_training(self, seconds: float, gpu: bool) -> float:
        """A row's time where the encoder takes `seconds`: a GPU works beside the loader, a CPU is shared with it."""
        return self.in_step + (max(self.in_workers, seconds) if gpu else self.in_workers + seconds)


def measure_encoder(
    encoder: Encoder, channels: int, image_size: int, hardware: HardwareConfig, rows: int, frozen: int = 0
) -> EncoderSpeed:
    """Trains a copy of `encoder` on more and more rows of noise, at most `rows`, until it takes long enough.

    The first `frozen` layers of it are left as they are.
    """
    device = torch.device("cuda" if on_gpu(hardware) else "cpu")
    network = deepcopy(encoder).to(device)
    with frozen_layers(network, frozen):
        return _measure(network.train(), channels, image_size, hardware, rows)


def _measure(network: Encoder, channels: int, image_size: int, hardware: HardwareConfig, rows: int) -> EncoderSpeed:
    device = network.mean.device
    images = torch.randint(256, (max(rows, 2), channels, image_size, image_size), dtype=torch.uint8, device=device)
    trained = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimizer = torch.optim.SGD(trained, lr=0.0, momentum=0.9)
    count = min(_FEWEST_ROWS, len(images))
    step = partial(_train_step, network, optimizer=optimizer, hardware=hardware)
    step(images[:count])  # the first one prepares kernels and memory
    while (seconds := min(step(images[:count]) for _ in range(_TRIES))) < _LONG_ENOUGH and count < len(images):
        count = min(4 * count, len(images))
    encode = min(_encode(network, images[:count], hardware) for _ in range(_TRIES))
    return EncoderSpeed(train=seconds / count, encode=encode / count)


def measure_views(maker: ViewMaker, split: Split) -> ViewSpeed:
    """Makes views of a few images, as the loader's workers and the step will."""
    few = split.pick(slice(_IN_WORKERS if maker.in_loader is not None else _IN_STEP))
    tries = [_make_views(maker, few) for _ in range(1 + _TRIES)]  # the first one prepares tables and memory
    return ViewSpeed(
        in_workers=min(one.in_workers for one in tries) / (os.cpu_count() or 1),
        in_step=min(one.in_step for one in tries),
    )


def _make_views(maker: ViewMaker, split: Split) -> ViewSpeed:
    generator = torch.Generator().manual_seed(0)
    start = time.perf_counter()
    rows = torch.arange(len(split))
    if maker.in_loader is None:
        batch, _ = split[rows]
    else:
        batch = torch.stack([maker.in_loader(image, generator) for image in split.whole(rows)])
    loaded = time.perf_counter()
    views = maker(batch, generator)
    made = views.shape[0] * views.shape[1]
    return ViewSpeed(in_workers=(loaded - start) / made, in_step=(time.perf_counter() - loaded) / made)


def _train_step(
    network: nn.Module, images: torch.Tensor, optimizer: torch.optim.Optimizer, hardware: HardwareConfig
) -> float:
    start = _now(images)
    with _precision(images, hardware):
        rows = network(images).float()
    # Random gradients: those of a smooth function may be so small that a CPU takes ten times as long with them.
    rows.backward(torch.randn_like(rows))
    optimizer.step()
    optimizer.zero_grad()
    return _now(images) - start


def _encode(network: nn.Module, images: torch.Tensor, hardware: HardwareConfig) -> float:
    network.eval()
    start = _now(images)
    with torch.inference_mode(), _precision(images, hardware):
        network(images)
    return _now(images) - start


def _precision(images: torch.Tensor, hardware: HardwareConfig) -> AbstractContextManager[object]:
    if hardware.precision == "32-true":
        return nullcontext()
    kind = torch.bfloat16 if hardware.precision == "bf16-mixed" else torch.float16
    return torch.autocast(images.device.type, dtype=kind)


def _now(images: torch.Tensor) -> float:
    if images.device.type == "cuda":
        torch.cuda.synchronize(images.device)
    return time.perf_counter()
