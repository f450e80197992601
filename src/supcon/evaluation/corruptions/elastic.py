"""Elastic transform: a random affine map, then a smooth random displacement of every pixel."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.levels import Layer, Levels
from supcon.evaluation.corruptions.linear_filters import gaussian


def elastic_transform(images: Levels, parameters: tuple[float, float, float], draws: Draws) -> Levels:
    """Moves three corners of a square in the middle by up to `reach`, then all pixels by smooth noise."""
    strength, smoothness, reach = parameters
    height, width = images.shape[-2:]
    x, y = _affine_places(height, width, reach * (2 * draws.uniform(3, 2) - 1))
    images = _sampled(images, 2 * x / (width - 1) - 1, 2 * y / (height - 1) - 1, corners=True)
    if strength == 0:
        return images
    noise = 2 * draws.uniform(2, height, width) - 1
    right, down = (strength * gaussian(noise, smoothness, truncate=3, mirror=True)).unbind(1)
    x = torch.arange(width, device=images.device) + right
    y = torch.arange(height, device=images.device)[:, None] + down
    return _sampled(images, (2 * x + 1) / width - 1, (2 * y + 1) / height - 1, corners=False)


def _affine_places(height: int, width: int, shifts: Float[Tensor, "batch 3 2"]) -> tuple[Layer, Layer]:
    """Source coordinates of every pixel: the inverse of the affine map by the corners' (right, down) shifts."""
    reach = min(height, width) // 3
    middle = torch.tensor([width // 2, height // 2], dtype=torch.float64)
    corners = middle + reach * torch.tensor([[1, 1], [1, -1], [-1, -1]], dtype=torch.float64)
    moved = corners + shifts.double().cpu()
    undo = torch.linalg.solve(F.pad(moved, (0, 1), value=1.0), corners.expand_as(moved)).float().to(shifts.device)
    x = torch.arange(width, device=shifts.device)
    y = torch.arange(height, device=shifts.device)[:, None]
    a, b, c = undo[:, :, :, None, None].unbind(1)
    places = a * x + b * y + c
    return places[:, 0], places[:, 1]


def _sampled(images: Levels, x: Layer, y: Layer, *, corners: bool) -> Levels:
    """Bilinear sampling; outside, the image is mirrored at the centres of its border pixels (`corners`) or at its
    edge."""
    grid = torch.stack([x, y], dim=3)
    return F.grid_sample(images, grid, mode="bilinear", padding_mode="reflection", align_corners=corners)
