"""Edges (Canny, 1986) and the distance to them, for a batch of layers; used to shade the drops of `spatter`."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool
from torch import Tensor

from supcon.evaluation.corruptions.levels import Layer

_TAN_22, _TAN_67 = 2**0.5 - 1, 2**0.5 + 1


def canny_edges(layers: Layer, low: float, high: float) -> Bool[Tensor, "batch height width"]:
    """Ridges of the gradient above `high`, and those above `low` that are connected to them, as in OpenCV.

    Gradients are Sobel's over 3x3 pixels with the border repeated; their magnitude is |x| + |y|, and 0
    outside of the image.
    """
    across, down = _sobel(layers)
    size = across.abs() + down.abs()
    ridge = _is_ridge(size, across, down) & (size > low)
    edges = ridge & (size > high)
    while True:
        touched = ridge & (F.max_pool2d(edges.float(), 3, stride=1, padding=1) > 0)
        if torch.equal(touched, edges):
            return edges
        edges = touched


def _sobel(layers: Layer) -> tuple[Layer, Layer]:
    around = F.pad(layers[:, None], [1] * 4, mode="replicate")[:, 0]
    left, right = around[:, :, :-2], around[:, :, 2:]
    above, below = around[:, :-2], around[:, 2:]
    difference, drop = right - left, below - above
    across = difference[:, :-2] + 2 * difference[:, 1:-1] + difference[:, 2:]
    down = drop[:, :, :-2] + 2 * drop[:, :, 1:-1] + drop[:, :, 2:]
    return across, down


def _is_ridge(size: Layer, across: Layer, down: Layer) -> Bool[Tensor, "batch height width"]:
    """Whether the gradient is larger than at both neighbours in its direction, rounded to one of four; of equal
    neighbours one counts."""
    around = F.pad(size, [1] * 4)
    height, width = size.shape[1:]

    def neighbour(y: int, x: int) -> Layer:
        return around[:, 1 + y : 1 + y + height, 1 + x : 1 + x + width]

    flat = down.abs() < _TAN_22 * across.abs()
    steep = down.abs() > _TAN_67 * across.abs()
    sideways = (size > neighbour(0, -1)) & (size >= neighbour(0, 1))
    upwards = (size > neighbour(-1, 0)) & (size >= neighbour(1, 0))
    falling = (size > neighbour(-1, -1)) & (size > neighbour(1, 1))
    rising = (size > neighbour(-1, 1)) & (size > neighbour(1, -1))
    slanted = torch.where((across < 0) != (down < 0), rising, falling)
    return torch.where(flat, sideways, torch.where(steep, upwards, slanted))


def distance_to(edges: Bool[Tensor, "batch height width"], most: int) -> Layer:
    """The Euclidean distance to the nearest edge, at most `most`; the published code uses OpenCV's approximation."""
    far = float(most * most)
    above = _nearest(torch.where(edges, 0.0, far), most, dim=1)
    return _nearest(above, most, dim=2).sqrt()


def _nearest(squares: Layer, most: int, dim: int) -> Layer:
    """The minimum of square + offset² along an axis: one of two passes of the squared Euclidean distance."""
    best, size = squares.clone(), squares.shape[dim]
    for offset in range(1, min(most, size)):
        ahead = squares.narrow(dim, offset, size - offset) + offset**2
        behind = squares.narrow(dim, 0, size - offset) + offset**2
        best.narrow(dim, 0, size - offset).clamp_(max=ahead)
        best.narrow(dim, offset, size - offset).clamp_(max=behind)
    return best
