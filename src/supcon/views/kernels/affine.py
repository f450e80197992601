"""Shears, translations and rotations as in torchvision: one grid per image, nearest pixels, constant fill."""

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor
from torch.nn.functional import grid_sample

from supcon.views.kernels.operations import NAMES

_SHEAR_X, _SHEAR_Y, _TRANSLATE_X, _TRANSLATE_Y, _ROTATE = (
    NAMES.index(name) for name in ("shear-x", "shear-y", "translate-x", "translate-y", "rotate")
)


def move_pixels(
    images: Shaped[Tensor, "batch channel height width"],
    kinds: Int[Tensor, "batch"],
    strengths: Float[Tensor, "batch"],
    fill: int,
) -> Shaped[Tensor, "batch channel height width"]:
    """Applies an operation to every image; pixels from outside of the image become `fill`, in 0 to 255.

    Equal to torchvision's affine and rotate in every pixel, unless a source coordinate is within a rounding error of
    the border between two pixels.
    """
    height, width = images.shape[-2:]
    from_x, from_y, offset = source_matrices(kinds, strengths, height, width).to(images.device).unbind(2)
    across = torch.arange(0.5 - width / 2, width / 2, device=images.device)
    down = torch.arange(0.5 - height / 2, height / 2, device=images.device).unsqueeze(1)
    source = torch.empty(len(images), height, width, 2, device=images.device)
    for axis, side in enumerate((width, height)):
        # grid_sample's coordinates are -1 at one border and 1 at the other.
        x, y, constant = (part[:, axis].view(-1, 1, 1) * (2 / side) for part in (from_x, from_y, offset))
        torch.add(across * x, down * y + constant, out=source[..., axis])
    return _sample(images, source, fill)


def source_matrices(
    kinds: Int[Tensor, "batch"], strengths: Float[Tensor, "batch"], height: int, width: int
) -> Float[Tensor, "batch 2 3"]:
    """Affine matrices from output to source coordinates, in pixels from the image's centre.

    Shears keep the top left corner fixed; translations are whole pixels.
    """
    matrices = torch.eye(2, 3).repeat(len(kinds), 1, 1)
    is_shear_x, is_shear_y = (strengths * (kinds == kind) for kind in (_SHEAR_X, _SHEAR_Y))
    angle = torch.deg2rad(strengths * (kinds == _ROTATE))
    matrices[:, 0, 0] = matrices[:, 1, 1] = angle.cos()
    matrices[:, 0, 1] = is_shear_x - angle.sin()
    matrices[:, 1, 0] = is_shear_y + angle.sin()
    matrices[:, 0, 2] = is_shear_x * height / 2 - whole_pixels(strengths * width * (kinds == _TRANSLATE_X))
    matrices[:, 1, 2] = is_shear_y * width / 2 - whole_pixels(strengths * height * (kinds == _TRANSLATE_Y))
    return matrices


def whole_pixels(shift: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """A shift truncated to whole pixels, as in torchvision.

    A thousandth is added first, against float32 values just below an integer.
    """
    return (shift + 1e-3 * shift.sign()).trunc()


def _sample(images: Tensor, source: Tensor, fill: int) -> Tensor:
    if images.dtype == torch.uint8:
        floats = images.to(torch.float32).sub_(fill)
        moved = grid_sample(floats, source, mode="nearest", padding_mode="zeros", align_corners=False)
        return moved.add_(fill).to(torch.int16).to(torch.uint8)
    moved = grid_sample(
        images - fill / 255, source.to(images.dtype), mode="nearest", padding_mode="zeros", align_corners=False
    )
    return moved.add_(fill / 255)
