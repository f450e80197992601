"""The operations of a policy: batched and image by image, with the same draws."""

from typing import Any

import numpy as np
import pytest
import torch

from supcon.views import Chain, RandAugment
from supcon.views.config import OperationSet
from supcon.views.kernels.operations import NAMES, Operation, OperationName
from supcon.views.rand_augment import rand_augment_operations
from supcon.views.steps.policy_step import Operations, PolicyStep


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("side", [32, 100])
@pytest.mark.parametrize("operation", rand_augment_operations(7, "authors"), ids=lambda operation: operation.name)
def test_operations_of_both_engines_agree(operation: Any, side: int, channels: int, photos: Any) -> None:
    images = photos(6, channels, side, side)
    step = PolicyStep([((operation, 1.0),)], "authors")
    drawn = step.parameters(torch.rand(6, step.uniform_draws, generator=seeded()), side, side)
    batched, each = step.apply_batched(images.clone(), drawn), step.apply_each(images, drawn)
    difference = (batched.int() - each.int()).abs()
    if operation.name in ("shear-x", "shear-y", "rotate"):
        # PIL rounds source coordinates down after adding a half, in fixed point; that moves an edge by a pixel.
        assert float((difference > 2).double().mean()) < 0.04
    else:
        assert int(difference.max()) <= 1


def test_policy_step_takes_large_images_one_by_one(photos: Any) -> None:
    """And small ones together: both ways give what the same draws say."""
    step = RandAugment(1, 9).steps[0]
    for side in (64, 65):
        images = photos(40, 3, side, side)
        drawn = step.parameters(torch.rand(40, step.uniform_draws, generator=seeded()), side, side)
        assert isinstance(step, PolicyStep)
        expected = step.apply_batched(images.clone(), drawn) if side == 64 else step.apply_each(images, drawn)
        assert torch.equal(Chain([step]).apply(images, [drawn]), expected)


def test_border_of_each_set() -> None:
    """The authors' code mirrors the image where a move uncovers pixels; torchvision's fills with black."""
    white = torch.full((60, 1, 16, 16), 255, dtype=torch.uint8)
    borders: tuple[tuple[OperationSet, list[int]], ...] = (("authors", [255]), ("torchvision", [0, 255]))
    for operations, levels in borders:
        step = PolicyStep([((rand_augment_operations(10, "authors")[NAMES.index("rotate")], 1.0),)], operations)
        turned = Chain([step])(white, generator=seeded())
        assert np.unique(turned.numpy()).tolist() == levels, operations


@pytest.mark.parametrize("operations", ["authors", "torchvision"])
@pytest.mark.parametrize("name", ["translate-x", "translate-y", "cutout"])
def test_both_engines_count_the_same_pixels(name: OperationName, operations: OperationSet, photos: Any) -> None:
    """A share that float32 leaves just below a whole number of pixels is that number: 100 of 224, not 99."""
    images = photos(30, 3, 224, 224)
    strengths = torch.tensor([pixels / 224 for pixels in range(86, 116)]).unsqueeze(1)
    drawn = Operations(torch.full((30, 1), NAMES.index(name)), strengths, torch.full((30, 1, 2), 0.5))
    step = PolicyStep([((Operation(name), 1.0),)], operations)
    assert torch.equal(step.apply_batched(images.clone(), drawn), step.apply_each(images, drawn))
    if name == "translate-x":
        moved = step.apply_each(images, drawn)[14, :, :, 112:]
        source = images[14, :, :, 12:124] if operations == "torchvision" else images[14, :, :, 212:]
        assert torch.equal(moved[..., : source.shape[-1]], source)
