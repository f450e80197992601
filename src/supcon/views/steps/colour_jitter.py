"""Brightness, contrast, saturation and hue, each by a random amount, in an order of each image's own."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from supcon.views.kernels.blend import Blend, blend
from supcon.views.kernels.hue import turn_hue
from supcon.views.number_checks import check_within

_PARTS = ("brightness", "contrast", "saturation", "hue")
_HUE = len(Blend)
_NEVER = 4
_NOTHING = np.array([1, 1, 1, 0], dtype=np.float32)
"""The amounts that change nothing."""
_LOWEST = np.array([0, 0, 0, -0.5], dtype=np.float32)


class Jitter(NamedTuple):
    """What each image goes through: three blends with their factors, and a hue turn at one of four places between.

    An image that is left alone has factors of 1 and its hue turn at no place.
    """

    blends: Tensor
    factors: Tensor
    hue_place: Tensor
    turns: Tensor


class ColourJitterStep:
    """torchvision's ColorJitter, with a probability, computed in floats as TF does it.

    Values are cut to the range after every part, which is why the order matters. TF's own additive brightness is
    not here: on CIFAR it uses torchvision's definition too.
    """

    on_bytes = False
    uniform_draws = 9

    def __init__(self, probability: float, brightness: float, contrast: float, saturation: float, hue: float) -> None:
        check_within("jitter_probability", probability, largest=1)
        for name, span in (("brightness", brightness), ("contrast", contrast), ("saturation", saturation)):
            check_within(name, span)
        check_within("hue", hue, largest=0.5)
        self._probability = probability
        self._spans = np.array([brightness, contrast, saturation, hue], dtype=np.float32)

    def output_size(self, height: int, width: int) -> tuple[int, int]:
        """Unchanged."""
        return height, width

    def parameters(self, uniform: Tensor, _height: int, _width: int) -> Jitter:
        """Factors within max(0, 1 ± part), hue within ± part of the circle, in one of 24 orders."""
        numbers = uniform.numpy()
        active = numbers[:, :1] < self._probability
        low = np.maximum(_NOTHING - self._spans, _LOWEST)
        amounts = np.where(active, low + (_NOTHING + self._spans - low) * numbers[:, 1:5], _NOTHING)
        order = numbers[:, 5:9].argsort(axis=1)
        is_hue = order == _HUE
        blends = order[~is_hue].reshape(-1, 3)
        hue_place = np.where(active[:, 0], is_hue.argmax(axis=1), _NEVER)
        factors = np.take_along_axis(amounts, blends, axis=1)
        return Jitter(*map(torch.from_numpy, (blends, factors, hue_place, amounts[:, _HUE])))

    def apply(self, images: Tensor, parameters: Jitter) -> Tensor:
        """Sorts the batch by the place of the hue turn, so that each place's images are one block; and back."""
        if int(parameters.hue_place.min()) == _NEVER:
            return images
        order = parameters.hue_place.argsort()
        blends, factors, hue_place, turns = (values[order] for values in parameters)
        pixels = images.flatten(2).index_select(0, order.to(images.device))
        ends = hue_place.bincount(minlength=_NEVER + 1).cumsum(0).tolist()
        for place in range(4):
            rows = slice(ends[place - 1] if place else 0, ends[place])
            if images.shape[1] == 3 and self._spans[_HUE] > 0 and rows.start < rows.stop:
                turn_hue(pixels[rows], turns[rows])
            if place < 3:
                pixels = blend(pixels, blends[:, place], factors[:, place])
        return pixels.index_select(0, order.argsort().to(images.device)).view_as(images)

    def describe(self, parameters: Jitter, index: int) -> list[str]:
        """The four parts in their order."""
        hue_place = int(parameters.hue_place[index])
        if hue_place == _NEVER:
            return []
        blends = zip(parameters.blends[index].tolist(), parameters.factors[index].tolist(), strict=True)
        parts = [(_PARTS[part], f"{_PARTS[part]} x {factor:.2f}") for part, factor in blends]
        parts.insert(hue_place, ("hue", f"hue {360 * float(parameters.turns[index]):+.0f}°"))
        return [line for part, line in parts if self._spans[_PARTS.index(part)] > 0]
