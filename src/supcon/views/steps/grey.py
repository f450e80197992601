"""Taking the colours away."""

from typing import NamedTuple

from torch import Tensor

from supcon.views.kernels.image_groups import change_rows
from supcon.views.kernels.luma import luma
from supcon.views.number_checks import check_within


class Grey(NamedTuple):
    """Which images lose their colours."""

    active: Tensor


class GreyStep:
    """Every channel becomes the luma, with a probability; grey images stay as they are."""

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
        """Greys the images whose turn it is."""
        if images.shape[1] == 1:
            return images
        return change_rows(images, parameters.active, lambda block, _: luma(block).unsqueeze(1).expand_as(block))

    def describe(self, parameters: Grey, index: int) -> list[str]:
        """The word alone: there is no strength."""
        return ["grey"] if parameters.active[index] else []
