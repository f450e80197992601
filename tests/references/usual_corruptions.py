"""The usual implementation of the corruptions, one image at a time, with the random numbers that ours draws."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from supcon.evaluation import corrupt
from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.parameters import published_parameters

SPEC = spec_from_file_location("usual_corruptions", Path(__file__).parents[2] / "benchmarks" / "_usual_corruptions.py")
assert SPEC is not None
assert SPEC.loader is not None
reference = module_from_spec(SPEC)
SPEC.loader.exec_module(reference)


class Replay:
    """Stands in for a numpy Generator and returns the numbers that image `index` gets in `corrupt`."""

    def __init__(self, name: str, index: int, shape: tuple[int, int]) -> None:
        self.draws = Draws(name, 7, torch.tensor([index]))
        self.name, self.shape = name, shape
        self.moves: list[tuple[int, int]] = []

    def normal(self, mean: float, deviation: float, size: tuple[int, ...]) -> Any:
        # Channels come first in `corrupt` and last in the reference.
        order = (size[2], *size[:2]) if len(size) == 3 else size
        values = mean + deviation * self.draws.normal(*order)[0].double()
        return (values.permute(1, 2, 0) if len(size) == 3 else values).numpy()

    def uniform(self, low: float, high: float, size: tuple[int, ...] = (1,)) -> Any:
        order = (size[2], *size[:2]) if self.name == "impulse_noise" else size
        values = low + (high - low) * self.draws.uniform(*order)[0].double()
        values = values.permute(1, 2, 0) if self.name == "impulse_noise" else values
        return values.item() if size == (1,) else values.numpy()

    def integers(self, low: int, high: int, size: int) -> tuple[int, int]:
        if not self.moves:
            height, width = self.shape
            down, right = (self.draws.uniform(2, height * width)[0] * (high - low)).long().view(2, height, width) + low
            self.moves = [
                (int(down[y, x]), int(right[y, x]))
                for y in range(height - high, high, -1)
                for x in range(width - high, high, -1)
            ]
        return self.moves.pop(0)


def photographs(count: int, height: int, width: int, channels: int = 3) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    smooth = F.interpolate(torch.rand(count, channels, 5, 5, generator=generator), size=(height, width), mode="bicubic")
    noise = 0.1 * torch.rand(count, channels, height, width, generator=generator)
    images = ((smooth + noise).clamp(0, 1) * 255).to(torch.uint8)
    images[0, :, :3, :3] = 0
    images[0, :, 4:8, :3] = 90
    return images


def difference(images: Tensor, name: str, severity: int) -> Tensor:
    """Absolute difference of every value in levels, for a batch whose images have the indices 3, 4, …."""
    indices = torch.arange(3, 3 + len(images))
    ours = corrupt(images, name, severity, 7, indices=indices)
    height, width = images.shape[2:]
    parameters = published_parameters(name, severity, height, width)
    expected = [
        reference.usual(image.permute(1, 2, 0).numpy(), name, parameters, Replay(name, int(index), (height, width)))
        for image, index in zip(images, indices, strict=True)
    ]
    return (torch.from_numpy(np.stack(expected)).permute(0, 3, 1, 2).int() - ours.int()).abs()


CASES = [(3, (32, 32), 3, severity) for severity in range(1, 6)] + [
    (1, (72, 80), 3, severity) for severity in (1, 3, 5)
]
"""Number of images, their size, channels, severity: small images, and larger ones that are not square."""
GREY = (2, (24, 20), 1, 4)


def assert_like_the_usual(name: str, count: int, size: tuple[int, int], channels: int, severity: int) -> None:
    """At most one level off, in fewer than one value in a hundred."""
    off = difference(photographs(count, *size, channels), name, severity)
    assert off.max() <= 1
    assert (off > 0).double().mean() < 0.01
