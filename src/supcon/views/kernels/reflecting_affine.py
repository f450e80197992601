"""Shears, translations and rotations as in the TF models: nearest pixels, mirrored at the image's border."""

from functools import lru_cache

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor

from supcon.views.kernels.operations import NAMES

_SHEAR_X, _SHEAR_Y, _TRANSLATE_X, _TRANSLATE_Y, _ROTATE = (
    NAMES.index(name) for name in ("shear-x", "shear-y", "translate-x", "translate-y", "rotate")
)


def move_reflecting(
    images: Shaped[Tensor, "batch channel height width"],
    kinds: Int[Tensor, "batch"],
    strengths: Float[Tensor, "batch"],
) -> Shaped[Tensor, "batch channel height width"]:
    """Applies an operation to every image; pixels from outside of the image are mirrored at its border.

    Equal to tf-models-official 2.20.0 on TensorFlow 2.21 (ImageProjectiveTransformV3, fill mode "reflect") in every
    pixel. A pixel's coordinate is its index there, but its centre in torchvision: a shear by 0.3 therefore differs by
    0.15 pixels, and the nearest pixel differs in 4 to 11 % of a photograph. A coordinate half-way between two pixels is
    rounded away from 0.
    """
    height, width = images.shape[-2:]
    matrices = index_matrices(kinds, strengths, height, width)
    across = torch.arange(width, dtype=torch.float32, device=images.device)
    down = torch.arange(height, dtype=torch.float32, device=images.device).unsqueeze(1)
    (of_x, by_y, right), (by_x, of_y, below) = matrices.permute(1, 2, 0)
    column = nearest_reflected(_places(across, of_x, down, by_y, right), width)
    row = nearest_reflected(_places(down, of_y, across, by_x, below), height)
    index = (row * width + column).flatten(1).unsqueeze(1).expand(-1, images.shape[1], -1)
    return images.flatten(2).gather(2, index).view_as(images)


def _places(own: Tensor, factor: Tensor, other: Tensor, slope: Tensor, shift: Tensor) -> Tensor:
    """Coordinates on an axis, [batch, height, width]; height or width is 1 if that axis has no influence."""
    factor, slope_there, shift = (values.to(own.device).view(-1, 1, 1) for values in (factor, slope, shift))
    # The matrices are on the CPU, so this check does not synchronize with a GPU.
    return own * factor + (other * slope_there + shift if bool(slope.any()) else shift)


def index_matrices(
    kinds: Int[Tensor, "batch"], strengths: Float[Tensor, "batch"], height: int, width: int
) -> Float[Tensor, "batch 2 3"]:
    """Affine matrices from output to source indices; a positive translation moves the content to the left or up."""
    matrices = torch.eye(2, 3).repeat(len(kinds), 1, 1)
    shear_x, shear_y = (strengths * (kinds == kind) for kind in (_SHEAR_X, _SHEAR_Y))
    angle = torch.deg2rad(strengths * (kinds == _ROTATE))
    cosine, sine = angle.cos(), angle.sin()
    matrices[:, 0, 0] = matrices[:, 1, 1] = cosine
    matrices[:, 0, 1], matrices[:, 1, 0] = shear_x - sine, shear_y + sine
    right, below = width - 1, height - 1
    shift_x, shift_y = (
        torch.round(strengths * side * (kinds == kind), decimals=3)
        for kind, side in ((_TRANSLATE_X, width), (_TRANSLATE_Y, height))
    )
    matrices[:, 0, 2] = (right - (cosine * right - sine * below)) / 2 + shift_x
    matrices[:, 1, 2] = (below - (sine * right + cosine * below)) / 2 + shift_y
    return matrices


def nearest_reflected(places: Float[Tensor, "..."], length: int) -> Int[Tensor, "..."]:
    """The nearest pixel index for each coordinate on a mirrored axis: d c b a | a b c d | d c b a.

    Overwrites `places`. TensorFlow mirrors a coordinate before rounding it, so that a coordinate half-way between two
    pixels is rounded up inside the image and down outside of it.
    """
    outside = places.clamp(0, length - 1).sub_(places).abs_().clamp_(max=1)
    # The smallest difference in float32 at these lengths: it only changes coordinates that are exactly half-way.
    index = places.add_(0.5).sub_(outside, alpha=length * 2**-23).floor_().long()
    return torch.take(_mirrored(length, index.device), index)


@lru_cache(maxsize=16)
def _mirrored(length: int, device: torch.device) -> Int[Tensor, "index"]:
    """Lookup table from mirrored indices to pixels, for up to 8 lengths; negative indices count from the end."""
    ahead = torch.arange(length, device=device)
    return torch.cat([ahead, ahead.flip(0)]).repeat(4)
