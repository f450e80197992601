"""The base class of augmentations: draws parameters for the whole batch, applies the steps to chunks of it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from inspect import Parameter, signature
from typing import NamedTuple

import torch
from torch import Tensor

from supcon.views.kernels.pixels import to_bytes, to_floats
from supcon.views.steps.step import AnyStep

Drawn = list[tuple[Tensor, ...]]
"""The random parameters of each step for a batch."""


class Place(NamedTuple):
    """The position of a process's batch in the whole batch that several processes share."""

    first: int
    """Index of its first image in the whole batch."""
    total: int
    """Number of images in the whole batch."""


_VALUES_AT_ONCE = {"cpu": 2**20, "cuda": 2**25}
"""Pixel values per chunk: on a CPU a few megabytes, which fit into its caches; more on a GPU."""


class Augmentation(ABC):
    """A random augmentation of a batch, with independent parameters for every image.

    Takes uint8 images, or float images in [0, 1], [batch, channel, height, width], on any device, and returns the same
    type. The random parameters depend only on the generator, not on the device or the pixels: the same seed gives the
    same views on every device. There is no state between calls.
    """

    _shown: Mapping[str, object] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._shown.items())})"

    @property
    @abstractmethod
    def steps(self) -> tuple[AnyStep, ...]:
        """The steps, in the order in which they are applied."""

    def __call__(self, images: Tensor, generator: torch.Generator | None = None, place: Place | None = None) -> Tensor:
        """Returns one view of every image; with `place`, the same views as if the whole batch were augmented at
        once."""
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
        """Draws the parameters for `count` images of that size."""
        widths = [step.uniform_draws for step in self.steps]
        device = generator.device if generator is not None else None
        first, total = place or Place(0, count)
        # Also draws the numbers of the other processes' images, which takes less than a thousandth of a step.
        uniform = torch.rand(total, sum(widths), generator=generator, device=device).cpu()
        drawn: Drawn = []
        for step, numbers in zip(self.steps, uniform.split(widths, dim=1), strict=True):
            own = step.uniform_draws - step.shared_draws
            numbers[:, own:] = numbers[:1, own:]
            drawn.append(step.parameters(numbers[first : first + count], height, width))
            height, width = step.output_size(height, width)
        return drawn

    def apply(self, images: Tensor, drawn: Drawn) -> Tensor:
        """Applies the steps with the drawn parameters, one chunk of the batch after the other."""
        height, width = images.shape[-2:]
        for step in self.steps:
            height, width = step.output_size(height, width)
        _keep_freed_memory()
        piece = _images_at_once(images, height * width)
        # Without autocast: half precision is too coarse for 256 pixel levels.
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
        # If no step changed anything, `part` is still the input, which must not be aliased.
        return part.clone() if part.data_ptr() == images.data_ptr() else part

    def describe(self, drawn: Drawn) -> list[list[str]]:
        """For every image, names and strengths of the applied operations, in order."""
        pairs = list(zip(self.steps, drawn, strict=True))
        count = len(drawn[0][0])
        return [[line for step, parameters in pairs for line in step.describe(parameters, i)] for i in range(count)]


def shown_arguments(constructor: Callable[..., object], values: Mapping[str, object]) -> dict[str, object]:
    """The arguments for a repr: those that have a position, and those with a name that differ from their default."""
    return {
        name: values[name]
        for name, parameter in signature(constructor).parameters.items()
        if parameter.kind != Parameter.KEYWORD_ONLY or values[name] != parameter.default
    }


def _without_autocast(device_type: str) -> AbstractContextManager[object]:
    available = torch.amp.is_autocast_available(device_type)
    return torch.autocast(device_type, enabled=False) if available else nullcontext()


@cache
def _keep_freed_memory() -> None:
    """Makes glibc keep freed memory for the next chunk instead of returning it to the system.

    glibc adapts how much it keeps to the largest block that was freed. The block here is never written, so it takes no
    physical memory; without it, half of the time of a crop is spent on page faults.
    """
    torch.empty(2**25 - 2**16, dtype=torch.uint8)


def _images_at_once(images: Tensor, pixels: int) -> int:
    on_cpu = images.device.type == "cpu"
    values = _VALUES_AT_ONCE["cpu"] * torch.get_num_threads() if on_cpu else _VALUES_AT_ONCE["cuda"]
    return max(1, values // (images.shape[1] * pixels))


def _select(parameters: tuple[Tensor, ...], rows: slice) -> tuple[Tensor, ...]:
    return type(parameters)(*(values[rows] for values in parameters))


def check_images(images: object) -> None:
    """Raises an error if a batch has another shape or type than augmentations take."""
    if not isinstance(images, Tensor):
        raise TypeError(
            f"images must be a torch tensor, uint8 [batch, channel, height, width], got {type(images).__name__}; "
            "convert an array of shape [batch, height, width, channel] with torch.from_numpy(images).permute(0, 3, 1, "
            "2), a PIL image with torchvision.transforms.functional.pil_to_tensor(image)[None]."
        )
    if images.dim() != 4 or images.shape[1] not in (1, 3):
        raise ValueError(
            f"images must be [batch, channel, height, width] with 1 or 3 channels, got {list(images.shape)}; "
            "reshape or convert them first, a single image [channel, height, width] with image[None]."
        )
    if images.dtype != torch.uint8 and not images.is_floating_point():
        raise ValueError(f"images must be uint8, or float in [0, 1], got {images.dtype}; convert them first.")
