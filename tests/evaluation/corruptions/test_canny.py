"""Edges and distances against loops written from their definitions."""

import math

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt
from torch import Tensor

from supcon.evaluation.corruptions.canny import canny_edges, distance_to


def blobs(side: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    rough = torch.nn.functional.interpolate(torch.rand(2, 1, 6, 6, generator=generator), size=(side, side))[:, 0]
    noise = torch.rand(2, side, side, generator=generator)
    return ((rough * 0.8 + noise * 0.2) * 255).floor() * (rough > 0.5)


def slow_edges(layer: NDArray[np.float64], low: float, high: float) -> NDArray[np.bool_]:
    """Gradient, direction and ridge of each pixel; then a flood fill from the strong ones."""
    height, width = layer.shape
    wide = np.pad(layer, 1, mode="edge")
    sizes = np.zeros((height + 2, width + 2))
    gradients = {}
    for y in range(height):
        for x in range(width):
            patch = wide[y : y + 3, x : x + 3]
            gx = float((patch[:, 2] - patch[:, 0]) @ [1, 2, 1])
            gy = float((patch[2] - patch[0]) @ [1, 2, 1])
            gradients[y, x] = gx, gy
            sizes[y + 1, x + 1] = abs(gx) + abs(gy)
    ridge = {
        place
        for place in gradients
        if _ridge(sizes, place, *gradients[place]) and sizes[place[0] + 1, place[1] + 1] > low
    }
    waiting = [(y, x) for y, x in ridge if sizes[y + 1, x + 1] > high]
    found = np.zeros((height, width), dtype=bool)
    while waiting:
        y, x = waiting.pop()
        if (y, x) in ridge and not found[y, x]:
            found[y, x] = True
            waiting += [(y + a, x + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
    return found


def _ridge(sizes: NDArray[np.float64], place: tuple[int, int], gx: float, gy: float) -> bool:
    y, x = place[0] + 1, place[1] + 1
    here, angle = sizes[y, x], math.degrees(math.atan2(abs(gy), abs(gx)))
    if angle < 22.5:
        return bool(here > sizes[y, x - 1] and here >= sizes[y, x + 1])
    if angle > 67.5:
        return bool(here > sizes[y - 1, x] and here >= sizes[y + 1, x])
    side = -1 if (gx < 0) != (gy < 0) else 1
    return bool(here > sizes[y - 1, x - side] and here > sizes[y + 1, x + side])


@pytest.mark.parametrize(("low", "high"), [(50, 150), (300, 600)])
def test_edges_are_those_of_a_slow_loop(low: float, high: float) -> None:
    layers = blobs(21)
    found = canny_edges(layers, low, high)
    assert 0 < found.double().mean() < 0.5
    for layer, edges in zip(layers, found, strict=True):
        np.testing.assert_array_equal(edges.numpy(), slow_edges(layer.double().numpy(), low, high))


def test_a_flat_layer_has_no_edges() -> None:
    assert not canny_edges(torch.full((2, 9, 9), 77.0), 50, 150).any()


def test_distances_are_euclidean_up_to_the_most() -> None:
    edges = torch.rand(3, 30, 17, generator=torch.Generator().manual_seed(0)) < 0.005
    edges[0] = False
    found = distance_to(edges, 6)
    assert (found[0] == 6).all()
    for layer, distance in zip(edges[1:], found[1:], strict=True):
        expected = np.minimum(distance_transform_edt(~layer.numpy()), 6)
        np.testing.assert_allclose(distance.numpy(), expected, atol=1e-5)
