"""Thin-plate spline warp: four control points are shifted, the other pixels are interpolated smoothly."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import grid_sample

from supcon.views.kernels.image_groups import change_rows
from supcon.views.number_checks import check_within

_THIRDS = torch.tensor([[x, y] for y in (1 / 3, 2 / 3) for x in (1 / 3, 2 / 3)])
"""The control points before the shift: 2 x 2 at thirds of the side (TF)."""


class Warp(NamedTuple):
    """Which images are warped, the scale of the shifts, the shifted points, and the spline through the shifts."""

    active: Tensor
    length: Tensor
    points: Tensor
    spline: Tensor


class WarpStep:
    """TF's warp with a probability: shifts are N(0, 1) times U(0, length), length a fraction of the side."""

    shared_draws = 0
    on_bytes = False
    uniform_draws = 2 + 2 * len(_THIRDS)

    def __init__(self, probability: float, length: float) -> None:
        check_within("warp_probability", probability, largest=1)
        check_within("warp_length", length)
        self._probability, self._length = probability, length

    def output_size(self, height: int, width: int) -> tuple[int, int]:
        """Unchanged."""
        return height, width

    def parameters(self, uniform: Tensor, _height: int, _width: int) -> Warp:
        """Draws the shifts and solves for the spline, in float64 on the CPU, so that all devices warp equally."""
        length = self._length * uniform[:, 1]
        normal = torch.special.ndtri(uniform[:, 2:].double().clamp(min=2**-25)).view(-1, len(_THIRDS), 2)
        shifts = normal * length.double().view(-1, 1, 1)
        points = _THIRDS.double() + shifts
        active = uniform[:, 0] < self._probability
        spline = torch.zeros(len(uniform), 2, len(_THIRDS) + 3)
        spline[active] = spline_through(points[active], shifts[active]).float()
        return Warp(active, length, points.float(), spline)

    def apply(self, images: Tensor, parameters: Warp) -> Tensor:
        """Warps the active images."""

        def change(block: Tensor, rows: Tensor) -> Tensor:
            points, spline = parameters.points[rows].to(block), parameters.spline[rows].to(block)
            return warp(block, points, spline)

        return change_rows(images, parameters.active, change)

    def describe(self, parameters: Warp, index: int) -> list[str]:
        """The scale of the shifts as a percentage of the side."""
        return [f"warp {100 * float(parameters.length[index]):.0f} %"] if parameters.active[index] else []


def spline_through(
    points: Float[Tensor, "batch point 2"], values: Float[Tensor, "batch point 2"]
) -> Float[Tensor, "batch 2 point+3"]:
    """Coefficients of the thin-plate spline that takes `values` at `points`: one per point, then x, y and constant."""
    batch, count, _ = points.shape
    squared = (points.unsqueeze(2) - points.unsqueeze(1)).square().sum(dim=3)
    affine = torch.cat([points, points.new_ones(batch, count, 1)], dim=2)
    system = points.new_zeros(batch, count + 3, count + 3)
    system[:, :count, :count] = torch.special.xlogy(squared, squared) / 2
    system[:, :count, count:] = affine
    system[:, count:, :count] = affine.transpose(1, 2)
    wanted = torch.cat([values, values.new_zeros(batch, 3, 2)], dim=1)
    coefficients: Tensor = torch.linalg.solve(system, wanted)
    return coefficients.transpose(1, 2)


def warp(
    images: Float[Tensor, "batch channel height width"],
    points: Float[Tensor, "batch point 2"],
    spline: Float[Tensor, "batch 2 point+3"],
) -> Float[Tensor, "batch channel height width"]:
    """Samples each pixel at its source position by the spline; outside of the image from the border (TF)."""
    batch, _, height, width = images.shape
    across = torch.arange(width, dtype=images.dtype, device=images.device) / width
    down = torch.arange(height, dtype=images.dtype, device=images.device) / height
    basis = images.new_empty(batch, points.shape[1] + 3, height, width)
    radial = basis[:, :-3]
    torch.add(
        (across - points[..., :1]).square_().unsqueeze(2),
        (down - points[..., 1:]).square_().unsqueeze(3),
        out=radial,
    )
    radial.mul_(radial.add(torch.finfo(images.dtype).tiny).log_()).mul_(0.5)
    basis[:, -3], basis[:, -2], basis[:, -1] = across, down.unsqueeze(1), 1
    flow = torch.bmm(spline, basis.flatten(2)).view(batch, 2, height, width)
    source = basis[:, -3:-1].sub_(flow)
    scale = torch.tensor(
        [2 * width / max(1, width - 1), 2 * height / max(1, height - 1)], dtype=images.dtype, device=images.device
    )
    grid = source.permute(0, 2, 3, 1) * scale - 1
    return grid_sample(images, grid, mode="bilinear", padding_mode="border", align_corners=True)
