"""Every operation of AutoAugment and RandAugment against torchvision's own, image by image.

One batch holds a different strength for every image, torchvision gets them one by one.
"""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torchvision.transforms.v2 import functional

from supcon.views.kernels.operations import NAMES, Operation, OperationName
from supcon.views.steps.policy_step import Operations, PolicyStep

SIZES = [(8, 8), (32, 32), (17, 40), (224, 224)]
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


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", REFERENCES)
def test_agrees_with_torchvision(
    name: OperationName, size: tuple[int, int], channels: int, dtype: torch.dtype, photos: Any
) -> None:
    strengths, reference = REFERENCES[name]
    images = photos(5, channels, *size)
    if dtype.is_floating_point:
        images = images.to(dtype) / 255
    expected = torch.stack([reference(image, s) for image, s in zip(images, strengths, strict=True)])
    got = apply(name, images, strengths)
    assert got.dtype == dtype
    difference = (got.double() - expected.double()).abs()
    if name in MOVES:
        # Nearest pixels differ where a source coordinate is halfway between two, up to a rounding error.
        assert float((difference > 1e-6).double().mean()) <= 0.01
    elif dtype.is_floating_point:
        assert float(difference.max()) <= 1e-5
    else:
        # torchvision cuts the luma to a whole number before it blends, here it stays a float.
        assert float(difference.max()) <= (0 if name in EXACT else 1)


def test_solarize_add_matches_the_definition(photos: Any) -> None:
    images = photos(3, 3, 16, 16)
    wide = images.int()
    expected = torch.where(wide < 128, (wide + 66).clamp(max=255), wide).to(torch.uint8)
    assert torch.equal(apply("solarize-add", images, [66.0] * 3), expected)
    floats = apply("solarize-add", images / 255, [66.0] * 3)
    assert torch.allclose(floats, expected / 255, atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
def test_cutout_covers_a_square_cut_at_the_border(dtype: torch.dtype) -> None:
    images = torch.ones(2, 3, 20, 30, dtype=dtype)
    covered = apply("cutout", images, [0.2, 0.2], place=0.0) == 0
    # 0.2 of the side to each side, half of it beyond the border.
    assert covered[:, :, :4, :6].all()
    assert int(covered.sum()) == 2 * 3 * 4 * 6
    middle = apply("cutout", images, [0.1, 0.0], place=0.5)
    assert int((middle[0] == 0).sum()) == 3 * 4 * 6
    assert int((middle[1] == 0).sum()) == 0


def test_images_smaller_than_the_sharpening_kernel_stay(photos: Any) -> None:
    images = photos(2, 3, 2, 2)
    assert torch.equal(apply("sharpness", images, [1.9, 0.1]), images)


def test_flat_images_survive_statistics(photos: Any) -> None:
    flat = torch.full((2, 3, 8, 8), 77, dtype=torch.uint8)
    for name in ("autocontrast", "equalize"):
        assert torch.equal(apply(name, flat, [0.0, 0.0]), flat)
