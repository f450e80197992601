"""How steps become an augmentation: draw for the whole batch, apply in pieces that fit a cache."""

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from supcon.views.kernels.pixels import to_bytes, to_floats
from supcon.views.steps.step import AnyStep

Drawn = list[tuple[Tensor, ...]]
"""What was drawn for a batch: the parameters of each step."""


class Place(NamedTuple):
    """Where a batch lies in a larger one that several processes share."""

    first: int
    """The place of its first image."""
    total: int
    """How many images the larger one has."""


_VALUES_AT_ONCE = {"cpu": 2**20, "cuda": 2**25}
"""Pixel values worked on together: on a CPU a few megabytes, which stay in its caches; more on a GPU."""


class Augmentation(ABC):
    """A random change of images, every image with its own draw.

    Takes uint8 images, or float ones in [0, 1], [batch, channel, height, width], on any device, and gives the same
    kind. What is drawn depends on the generator alone, not on the device or the pixels: the same seed gives the same
    views everywhere, and nothing is remembered between calls.
    """

    @property
    @abstractmethod
    def steps(self) -> tuple[AnyStep, ...]:
        """What happens, in this order."""

    def __call__(self, images: Tensor, generator: torch.Generator | None = None, place: Place | None = None) -> Tensor:
        """Gives one view of every image; with a `place`, the views that it has when the larger batch is augmented."""
        check_images(images)
        drawn = self.draw(len(images), images.shape[-2], images.shape[-1], generator, place)
        return self.apply(images, drawn).contiguous()

    def draw(
        self,
        count: int,
        height: int,
        width: int,
        generator: torch.Generator | None = None,
        place: Place | None = None,
    ) -> Drawn:
        """Decides what happens to `count` images of that size."""
        widths = [step.uniform_draws for step in self.steps]
        device = generator.device if generator is not None else None
        first, total = place or Place(0, count)
        # A few numbers for every image: drawing them for other processes too costs less than a thousandth of a step.
        uniform = torch.rand(total, sum(widths), generator=generator, device=device).cpu()
        drawn: Drawn = []
        for step, numbers in zip(self.steps, uniform.split(widths, dim=1), strict=True):
            own = step.uniform_draws - step.shared_draws
            numbers[:, own:] = numbers[:1, own:]
            drawn.append(step.parameters(numbers[first : first + count], height, width))
            height, width = step.output_size(height, width)
        return drawn

    def apply(self, images: Tensor, drawn: Drawn) -> Tensor:
        """Does what was drawn, one piece of the batch after the other."""
        height, width = images.shape[-2:]
        for step in self.steps:
            height, width = step.output_size(height, width)
        _keep_freed_memory()
        piece = _images_at_once(images, height * width)
        # Half precision, which a training step may be in, is too coarse for 256 values.
        with torch.no_grad(), _without_autocast(images.device.type):
            if 0 < len(images) <= piece:
                return self._apply_piece(images, drawn)
            views = images.new_empty(*images.shape[:2], height, width)
            for start in range(0, len(images), piece):
                rows = slice(start, start + piece)
                views[rows] = self._apply_piece(images[rows], [_select(values, rows) for values in drawn])
            return views

    def _apply_piece(self, images: Tensor, drawn: Drawn) -> Tensor:
        part = images
        for step, parameters in zip(self.steps, drawn, strict=True):
            if images.dtype == torch.uint8:
                part = to_bytes(part) if step.on_bytes else to_floats(part)
            part = step.apply(part, parameters)
        part = to_bytes(part) if images.dtype == torch.uint8 else part
        # Where nothing happened these are still the images given, which must not be shared.
        return part.clone() if part.data_ptr() == images.data_ptr() else part

    def describe(self, drawn: Drawn) -> list[list[str]]:
        """For every image the name and strength of what was drawn, in order."""
        pairs = list(zip(self.steps, drawn, strict=True))
        count = len(drawn[0][0])
        return [[line for step, parameters in pairs for line in step.describe(parameters, i)] for i in range(count)]


def _without_autocast(device_type: str) -> AbstractContextManager[object]:
    available = torch.amp.is_autocast_available(device_type)
    return torch.autocast(device_type, enabled=False) if available else nullcontext()


@cache
def _keep_freed_memory() -> None:
    """Has glibc keep what pieces free for the next piece, instead of giving it back and clearing it anew.

    glibc learns from the largest block it has seen freed how much to keep. This one is never touched, so it costs no
    memory; without it, half the time of a crop goes into page faults.
    """
    torch.empty(2**25 - 2**16, dtype=torch.uint8)


def _images_at_once(images: Tensor, pixels: int) -> int:
    on_cpu = images.device.type == "cpu"
    values = _VALUES_AT_ONCE["cpu"] * torch.get_num_threads() if on_cpu else _VALUES_AT_ONCE["cuda"]
    return max(1, values // (images.shape[1] * pixels))


def _select(parameters: tuple[Tensor, ...], rows: slice) -> tuple[Tensor, ...]:
    return type(parameters)(*(values[rows] for values in parameters))


def check_images(images: Tensor) -> None:
    """Raises where a batch is not what augmentations take."""
    if images.dim() != 4 or images.shape[1] not in (1, 3):
        raise ValueError(
            f"images must be [batch, channel, height, width] with 1 or 3 channels, got {list(images.shape)}; "
            "reshape or convert them first."
        )
    if images.dtype != torch.uint8 and not images.is_floating_point():
        raise ValueError(f"images must be uint8, or float in [0, 1], got {images.dtype}; convert them first.")
