"""Colour jitter: random brightness, contrast, saturation and hue, in a random order for each image."""

from collections.abc import Callable
from typing import NamedTuple, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from supcon.views.config import JitterKind
from supcon.views.kernels.blend import Blend, blend
from supcon.views.kernels.hue import turn_hue
from supcon.views.kernels.tensorflow_jitter import adjust
from supcon.views.number_checks import check_choice, check_within

_PARTS = ("brightness", "contrast", "saturation", "hue")
_HUE = len(Blend)
_NO_HUE = 4
_NOTHING: dict[JitterKind, NDArray[np.float32]] = {
    "torchvision": np.array([1, 1, 1, 0], dtype=np.float32),
    "tensorflow": np.array([0, 1, 1, 0], dtype=np.float32),
}
"""The amounts of identity: brightness is a factor in torchvision, and added in TensorFlow."""
_LOWEST = {
    "torchvision": np.array([0, 0, 0, -0.5], dtype=np.float32),
    "tensorflow": np.array([-np.inf, 0, 0, -0.5], dtype=np.float32),
}
_ADJUST: dict[JitterKind, Callable[[Tensor, Tensor, Tensor], Tensor]] = {"torchvision": blend, "tensorflow": adjust}


class Jitter(NamedTuple):
    """Parameters of each image: three blends with their factors, the position of the hue shift among them, its amount.

    An image without jitter has the factors of identity and the hue position `_NO_HUE`.
    """

    blends: Tensor
    factors: Tensor
    hue_place: Tensor
    turns: Tensor


class ColourJitterStep:
    """torchvision's ColorJitter or TensorFlow's random_brightness to random_hue, with a probability, in floats.

    Values are clipped after every operation, so the order matters. TF uses TensorFlow's operations
    on ImageNet and torchvision's on CIFAR.
    """

    shared_draws = 0
    on_bytes = False
    uniform_draws = 9

    def __init__(
        self,
        probability: float,
        brightness: float,
        contrast: float,
        saturation: float,
        hue: float,
        kind: JitterKind = "torchvision",
    ) -> None:
        check_choice("jitter_kind", kind, get_args(JitterKind))
        check_within("jitter_probability", probability, largest=1)
        for name, span in (("brightness", brightness), ("contrast", contrast), ("saturation", saturation)):
            check_within(name, span)
        check_within("hue", hue, largest=0.5)
        self._probability, self._kind = probability, kind
        self._spans = np.array([brightness, contrast, saturation, hue], dtype=np.float32)

    def output_size(self, height: int, width: int) -> tuple[int, int]:
        """Unchanged."""
        return height, width

    def parameters(self, uniform: Tensor, _height: int, _width: int) -> Jitter:
        """Draws factors in max(0, 1 ± amount), additions and hue in ± amount, and one of 24 orders."""
        numbers = uniform.numpy()
        active = numbers[:, :1] < self._probability
        nothing = _NOTHING[self._kind]
        low = np.maximum(nothing - self._spans, _LOWEST[self._kind])
        amounts = np.where(active, low + (nothing + self._spans - low) * numbers[:, 1:5], nothing)
        order = numbers[:, 5:9].argsort(axis=1)
        is_hue = order == _HUE
        blends = order[~is_hue].reshape(-1, 3)
        hue_place = np.where(active[:, 0], is_hue.argmax(axis=1), _NO_HUE)
        factors = np.take_along_axis(amounts, blends, axis=1)
        return Jitter(*map(torch.from_numpy, (blends, factors, hue_place, amounts[:, _HUE])))

    def apply(self, images: Tensor, parameters: Jitter) -> Tensor:
        """Sorts the batch by the position of the hue shift, so that images with the same position are one slice."""
        if int(parameters.hue_place.min()) == _NO_HUE:
            return images
        order = parameters.hue_place.argsort()
        blends, factors, hue_place, turns = (values[order] for values in parameters)
        pixels = images.flatten(2).index_select(0, order.to(images.device))
        ends = hue_place.bincount(minlength=_NO_HUE + 1).cumsum(0).tolist()
        for place in range(4):
            rows = slice(ends[place - 1] if place else 0, ends[place])
            if images.shape[1] == 3 and self._spans[_HUE] > 0 and rows.start < rows.stop:
                turn_hue(pixels[rows], turns[rows])
            if place < 3:
                pixels = _ADJUST[self._kind](pixels, blends[:, place], factors[:, place])
        return pixels.index_select(0, order.argsort().to(images.device)).view_as(images)

    def describe(self, parameters: Jitter, index: int) -> list[str]:
        """The four operations in their order."""
        hue_place = int(parameters.hue_place[index])
        if hue_place == _NO_HUE:
            return []
        blends = zip(parameters.blends[index].tolist(), parameters.factors[index].tolist(), strict=True)
        parts = [(_PARTS[part], self._describe_part(_PARTS[part], factor)) for part, factor in blends]
        parts.insert(hue_place, ("hue", f"hue {360 * float(parameters.turns[index]):+.0f}°"))
        return [line for part, line in parts if self._spans[_PARTS.index(part)] > 0]

    def _describe_part(self, part: str, amount: float) -> str:
        added = part == "brightness" and self._kind == "tensorflow"
        return f"{part} {amount:+.2f}" if added else f"{part} x {amount:.2f}"
