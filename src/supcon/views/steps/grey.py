"""Conversion to grey."""

from typing import NamedTuple

from torch import Tensor

from supcon.views.kernels.image_groups import change_rows
from supcon.views.kernels.luma import luma
from supcon.views.number_checks import check_within


class Grey(NamedTuple):
    """Which images are converted."""

    active: Tensor


class GreyStep:
    """Replaces every channel by the luma, with a probability; does nothing for images with one channel."""

    shared_draws = 0
    on_bytes = False
    uniform_draws = 1

    def __init__(self, probability: float) -> None:
        check_within("grey_probability", probability, largest=1)
        self._probability = probability

    def output_size(self, height: int, width: int) -> tuple[int, int]:
        """Unchanged."""
        return height, width

    def parameters(self, uniform: Tensor, _height: int, _width: int) -> Grey:
        """One draw per image."""
        return Grey(uniform[:, 0] < self._probability)

    def apply(self, images: Tensor, parameters: Grey) -> Tensor:
        """Converts the active images."""
        if images.shape[1] == 1:
            return images
        return change_rows(images, parameters.active, lambda block, _: luma(block).unsqueeze(1).expand_as(block))

    def describe(self, parameters: Grey, index: int) -> list[str]:
        """The name only; there is no strength."""
        return ["grey"] if parameters.active[index] else []
