"""Draws a sub-policy for each image of a batch, and applies it."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from supcon.views.config import OperationSet
from supcon.views.kernels.affine import move_pixels
from supcon.views.kernels.blend import Blend, blend
from supcon.views.kernels.image_groups import Change, change_groups
from supcon.views.kernels.operations import AUTHORS_CONTRAST_GREY, FILLS, NAMES, describe_operation
from supcon.views.kernels.pixels import truncate_to_bytes
from supcon.views.kernels.point_operations import map_points
from supcon.views.kernels.reflecting_affine import move_reflecting
from supcon.views.kernels.sharpness_cutout import cut_out, sharpen
from supcon.views.kernels.torchvision_kernels import from_pil, image_by_image, operate, stack_as_pil, to_pil
from supcon.views.steps.policies import SubPolicy

_IDENTITY = NAMES.index("identity")
_BLENDS = {"brightness": Blend.BRIGHTNESS, "contrast": Blend.CONTRAST, "colour": Blend.SATURATION}


class Operations(NamedTuple):
    """Operations of each image: their indices in NAMES, strengths, positions of cutouts; [batch, layer, ...]."""

    kinds: Tensor
    strengths: Tensor
    places: Tensor


class PolicyStep:
    """For each image, `layers` sub-policies of the policy, each operation applied with its probability.

    AutoAugment's sub-policies have two operations; RandAugment's policy has a sub-policy for each single operation.
    `operations` selects the implementation: the treatment of the border, and what contrast blends with.
    """

    shared_draws = 0
    on_bytes = True

    def __init__(self, policy: Sequence[SubPolicy], operations: OperationSet, layers: int = 1) -> None:
        self._operations, self._layers = operations, layers
        self._kinds = np.array([[NAMES.index(op.name) for op, _ in row] for row in policy])
        self._probabilities = np.array([[probability for _, probability in row] for row in policy], dtype=np.float32)
        self._centres = np.array([[op.centre for op, _ in row] for row in policy], dtype=np.float32)
        self._spreads = np.array([[op.spread for op, _ in row] for row in policy], dtype=np.float32)

    @property
    def uniform_draws(self) -> int:
        """One draw per layer for the sub-policy; per operation: whether it is applied, its sign, two for its
        position."""
        return self._layers * (1 + 4 * int(self._kinds.shape[1]))

    def output_size(self, height: int, width: int) -> tuple[int, int]:
        """Unchanged."""
        return height, width

    def parameters(self, uniform: Tensor, _height: int, _width: int) -> Operations:
        """Draws the sub-policies and looks up their operations."""
        numbers = uniform.numpy()
        row = (numbers[:, : self._layers] * len(self._kinds)).astype(np.int64)
        width = self._layers * self._kinds.shape[1]
        ends = range(self._layers, self.uniform_draws + 1, width)
        happens, sign, across, down = (numbers[:, start:end] for start, end in pairwise(ends))
        kinds, probabilities, centres, spreads = (
            table[row].reshape(happens.shape)
            for table in (self._kinds, self._probabilities, self._centres, self._spreads)
        )
        kinds = np.where(happens < probabilities, kinds, _IDENTITY)
        strengths = centres + np.where(sign < 0.5, -spreads, spreads)
        return Operations(*map(torch.from_numpy, (kinds, strengths, np.stack([across, down], axis=2))))

    def apply(self, images: Tensor, parameters: Operations) -> Tensor:
        """Uses torchvision image by image if that is faster, otherwise processes the whole batch at once."""
        one_by_one = image_by_image(images, math.prod(images.shape[-2:]))
        return self.apply_each(images, parameters) if one_by_one else self.apply_batched(images, parameters)

    def apply_each(self, images: Tensor, parameters: Operations) -> Tensor:
        """torchvision's operations on PIL images, for uint8 images on a CPU."""
        rows = zip(images, *(values.tolist() for values in parameters), strict=True)
        return stack_as_pil([self._apply_one(*row) for row in rows])

    def _apply_one(self, image: Tensor, kinds: list[int], strengths: list[float], places: list[list[float]]) -> Tensor:
        todo = [row for row in zip(kinds, strengths, places, strict=True) if row[0] != _IDENTITY]
        if not todo:
            return image
        pil = to_pil(image)
        for kind, strength, (across, down) in todo:
            pil = operate(pil, NAMES[kind], strength, (across, down), self._operations)
        return from_pil(pil)

    def apply_batched(self, images: Tensor, parameters: Operations) -> Tensor:
        """Applies layer after layer; in each, images with the same kind of operation are processed together."""
        for kinds, strengths, places in zip(*(values.unbind(1) for values in parameters), strict=True):
            images = change_groups(images, kinds, self._changes(kinds, strengths, places))
        return images

    def _changes(self, kinds: Tensor, strengths: Tensor, places: Tensor) -> list[tuple[int, Change]]:
        """One function for each group of adjacent operations in NAMES."""
        fill = FILLS[self._operations]
        return [
            (_behind("rotate"), lambda block, rows: self._move(block, kinds[rows], strengths[rows])),
            (_behind("colour"), lambda block, rows: self._blend(block, kinds[rows], strengths[rows])),
            (_behind("sharpness"), lambda block, rows: sharpen(block, strengths[rows])),
            (_behind("invert"), lambda block, rows: map_points(block, kinds[rows], strengths[rows])),
            (_behind("cutout"), lambda block, rows: cut_out(block, strengths[rows], places[rows], fill)),
        ]

    def _move(self, images: Tensor, kinds: Tensor, strengths: Tensor) -> Tensor:
        if self._operations == "authors":
            return move_reflecting(images, kinds, strengths)
        return move_pixels(images, kinds, strengths, FILLS[self._operations])

    def _blend(self, images: Tensor, kinds: Tensor, factors: Tensor) -> Tensor:
        blends = torch.tensor([_BLENDS.get(name, 0) for name in NAMES])[kinds]
        bound = 255.0 if images.dtype == torch.uint8 else 1.0
        grey = AUTHORS_CONTRAST_GREY / 255 * bound if self._operations == "authors" else None
        pixels = images.flatten(2)
        blended = blend(pixels.to(torch.float32) if bound > 1 else pixels, blends, factors, bound, grey)
        return (truncate_to_bytes(blended) if bound > 1 else blended).view_as(images)

    def describe(self, parameters: Operations, index: int) -> list[str]:
        """The applied operations, in order."""
        pairs = zip(parameters.kinds[index].tolist(), parameters.strengths[index].tolist(), strict=True)
        return [describe_operation(NAMES[kind], strength) for kind, strength in pairs if kind != _IDENTITY]


def _behind(name: str) -> int:
    return [str(known) for known in NAMES].index(name) + 1
