"""Every corruption against the usual implementation, one image at a time, fed with the same random numbers."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from supcon.evaluation import CORRUPTIONS, EXTRA_CORRUPTIONS, corrupt
from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.frost.ice_photographs import photographs_folder
from supcon.evaluation.corruptions.parameters import published_parameters

SPEC = spec_from_file_location("usual_corruptions", Path(__file__).parents[3] / "benchmarks" / "_usual_corruptions.py")
assert SPEC is not None
assert SPEC.loader is not None
reference = module_from_spec(SPEC)
SPEC.loader.exec_module(reference)

OF_THEIR_OWN = {"shot_noise", "frost", "spatter"}
"""Tested elsewhere: drawn by a table, laid over the image, OpenCV's edges."""


class Replay:
    """Stands in for a numpy Generator and gives the numbers that image `index` gets from us."""

    def __init__(self, name: str, index: int, shape: tuple[int, int]) -> None:
        self.draws = Draws(name, 7, torch.tensor([index]))
        self.name, self.shape = name, shape
        self.moves: list[tuple[int, int]] = []

    def normal(self, mean: float, deviation: float, size: tuple[int, ...]) -> Any:
        # Channels come first with us and last in the reference.
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
    """How many levels every value is off, for a batch whose images have the indices 3, 4, …."""
    indices = torch.arange(3, 3 + len(images))
    ours = corrupt(images, name, severity, 7, indices=indices)
    height, width = images.shape[2:]
    parameters = published_parameters(name, severity, height, width)
    expected = [
        reference.usual(image.permute(1, 2, 0).numpy(), name, parameters, Replay(name, int(index), (height, width)))
        for image, index in zip(images, indices, strict=True)
    ]
    return (torch.from_numpy(np.stack(expected)).permute(0, 3, 1, 2).int() - ours.int()).abs()


NAMES = [name for name in CORRUPTIONS + EXTRA_CORRUPTIONS if name not in OF_THEIR_OWN]


@pytest.mark.parametrize("severity", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("name", NAMES)
def test_small_images(name: str, severity: int) -> None:
    off = difference(photographs(3, 32, 32), name, severity)
    assert off.max() <= 1
    assert (off > 0).double().mean() < 0.01


@pytest.mark.parametrize("severity", [1, 3, 5])
@pytest.mark.parametrize("name", NAMES)
def test_large_images_that_are_not_square(name: str, severity: int) -> None:
    off = difference(photographs(1, 72, 80), name, severity)
    assert off.max() <= 1
    assert (off > 0).double().mean() < 0.01


@pytest.mark.parametrize("name", [name for name in NAMES if name != "saturate"])
def test_grey_images(name: str) -> None:
    off = difference(photographs(2, 24, 20, channels=1), name, 4)
    assert off.max() <= 1
    assert (off > 0).double().mean() < 0.01


@pytest.mark.parametrize("texture", ["own", "photographs"])
def test_frost_weighs_image_and_ice(texture: Any) -> None:
    if texture == "photographs" and photographs_folder() is None:
        pytest.skip("the package imagecorruptions is not installed")
    images = photographs(2, 32, 32)
    black = corrupt(torch.zeros_like(images), "frost", 5, texture=texture)
    expected = 0.75 * images.double() + black.double()
    off = corrupt(images, "frost", 5, texture=texture).double() - expected.clamp(0, 255)
    assert off.min() >= -1
    assert off.max() <= 1
