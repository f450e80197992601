"""The operations of AutoAugment and RandAugment by torchvision, and how ours are compared with them.

One batch holds a different strength for every image; torchvision gets the images one by one.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torchvision.transforms.v2 import functional

from supcon.views.kernels.operations import NAMES, Operation, OperationName
from supcon.views.steps.policy_step import Operations, PolicyStep

FILL = 0

shear: Callable[[Tensor, list[float]], Tensor] = lambda image, degrees: functional.affine(  # noqa: E731
    image, angle=0.0, translate=[0, 0], scale=1.0, shear=degrees, center=[0, 0], fill=fills(image)
)


def fills(image: Tensor) -> list[float]:
    return [FILL if image.dtype == torch.uint8 else FILL / 255] * image.shape[-3]


def degrees(tangent: float) -> float:
    return math.degrees(math.atan(tangent))


def translate(image: Tensor, pixels: list[int]) -> Tensor:
    moved: Tensor = functional.affine(
        image, angle=0.0, translate=pixels, scale=1.0, shear=[0.0, 0.0], fill=fills(image)
    )
    return moved


def solarize(image: Tensor, threshold: float) -> Tensor:
    done: Tensor = functional.solarize(image, threshold if image.dtype == torch.uint8 else threshold / 255)
    return done


REFERENCES: dict[OperationName, tuple[list[float], Callable[[Tensor, float], Any]]] = {
    "shear-x": ([-0.3, -0.1, 0.0, 0.2, 0.3], lambda image, s: shear(image, [degrees(s), 0.0])),
    "shear-y": ([-0.3, -0.1, 0.0, 0.2, 0.3], lambda image, s: shear(image, [0.0, degrees(s)])),
    "translate-x": ([-0.45, -0.1, 0.0, 0.3, 1.2], lambda image, s: translate(image, [int(s * image.shape[-1]), 0])),
    "translate-y": ([-0.45, -0.1, 0.0, 0.3, 1.2], lambda image, s: translate(image, [0, int(s * image.shape[-2])])),
    "rotate": ([-30.0, -7.0, 0.0, 12.0, 30.0], lambda image, s: functional.rotate(image, s, fill=fills(image))),
    "brightness": ([0.1, 0.6, 1.0, 1.4, 1.9], functional.adjust_brightness),
    "contrast": ([0.1, 0.6, 1.0, 1.4, 1.9], functional.adjust_contrast),
    "colour": ([0.1, 0.6, 1.0, 1.4, 1.9], functional.adjust_saturation),
    "sharpness": ([0.1, 0.6, 1.0, 1.4, 1.9], functional.adjust_sharpness),
    "posterize": ([0.0, 1.0, 3.0, 4.0, 8.0], lambda image, s: functional.posterize(image, int(s))),
    "solarize": ([0.0, 51.0, 128.0, 200.0, 255.0], solarize),
    "autocontrast": ([0.0] * 5, lambda image, _: functional.autocontrast(image)),
    "equalize": ([0.0] * 5, lambda image, _: functional.equalize(image)),
    "invert": ([0.0] * 5, lambda image, _: functional.invert(image)),
    "identity": ([0.0] * 5, lambda image, _: image),
}

EXACT = {"translate-x", "translate-y", "posterize", "solarize", "equalize", "invert", "identity"}
MOVES = {"shear-x", "shear-y", "rotate"}


def apply(name: OperationName, images: Tensor, strengths: list[float], place: float = 0.5) -> Tensor:
    """The batched operations, whatever the size."""
    step = PolicyStep([((Operation("identity"), 1.0),)], "torchvision")
    count = len(images)
    kinds = torch.full((count, 1), NAMES.index(name))
    parameters = Operations(kinds, torch.tensor(strengths).unsqueeze(1), torch.full((count, 1, 2), place))
    return step.apply_batched(images.clone(), parameters)


def assert_like_torchvision(name: OperationName, images: Tensor) -> None:
    """Five images, uint8 or float in [0, 1]."""
    strengths, reference = REFERENCES[name]
    expected = torch.stack([reference(image, s) for image, s in zip(images, strengths, strict=True)])
    got = apply(name, images, strengths)
    assert got.dtype == images.dtype
    difference = (got.double() - expected.double()).abs()
    if name in MOVES:
        # Nearest pixels differ where a source coordinate is halfway between two, up to a rounding error.
        assert float((difference > 1e-6).double().mean()) <= 0.01
    elif images.is_floating_point():
        assert float(difference.max()) <= 1e-5
    else:
        # torchvision truncates the luma to a whole number before it blends, here it stays a float.
        assert float(difference.max()) <= (0 if name in EXACT else 1)
