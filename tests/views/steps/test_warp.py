"""The warp against scipy's thin-plate spline."""

from typing import Any

import numpy as np
import pytest
import torch
from scipy.interpolate import RBFInterpolator
from scipy.ndimage import map_coordinates

from supcon.views.steps.warp import WarpStep


def uniform(step: Any, count: int) -> torch.Tensor:
    return torch.rand(count, step.uniform_draws, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(("height", "width"), [(8, 8), (32, 32), (20, 50), (224, 224)])
def test_warps_as_the_spline_through_the_shifts_says(height: int, width: int, photos: Any) -> None:
    images = photos(6, 3, height, width) / 255
    step = WarpStep(0.7, 23 / 224)
    drawn = step.parameters(uniform(step, 6), height, width)
    got = step.apply(images.clone(), drawn)
    corners = np.array([[x, y] for y in (1 / 3, 2 / 3) for x in (1 / 3, 2 / 3)])
    rows, columns = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
    query = np.stack([columns.ravel() / width, rows.ravel() / height], axis=1)
    assert 0 < int(drawn.active.sum()) < 6
    for image, view, active, points in zip(images, got, drawn.active, drawn.points, strict=True):
        if not active:
            assert torch.equal(view, image)
            continue
        shifts = points.double().numpy() - corners
        flow = RBFInterpolator(points.double().numpy(), shifts, kernel="thin_plate_spline", degree=1)(query)
        source = query - flow
        where = [(source[:, 1] * height).reshape(height, width), (source[:, 0] * width).reshape(height, width)]
        expected = np.stack([map_coordinates(plane.numpy(), where, order=1, mode="nearest") for plane in image])
        assert np.abs(view.numpy() - expected).max() < 2e-3


def test_control_points_arrive_where_they_are_sent() -> None:
    step = WarpStep(1.0, 0.05)
    drawn = step.parameters(uniform(step, 1), 60, 60)
    images = torch.zeros(1, 1, 60, 60)
    images[0, 0, 20, 20] = 1.0
    warped = step.apply(images, drawn)[0, 0]
    brightest = divmod(int(warped.argmax()), 60)
    sent = drawn.points[0, 0] * 60
    assert abs(brightest[1] - float(sent[0])) <= 1
    assert abs(brightest[0] - float(sent[1])) <= 1


def test_shifts_are_normal_with_an_evenly_drawn_scale() -> None:
    step = WarpStep(0.25, 0.1)
    drawn = step.parameters(uniform(step, 20_000), 32, 32)
    assert float(drawn.active.double().mean()) == pytest.approx(0.25, abs=0.015)
    assert float(drawn.length.mean()) == pytest.approx(0.05, rel=0.03)
    corners = torch.tensor([[x, y] for y in (1 / 3, 2 / 3) for x in (1 / 3, 2 / 3)])
    normal = (drawn.points - corners) / drawn.length.clamp(min=1e-6).view(-1, 1, 1)
    assert float(normal.mean()) == pytest.approx(0, abs=0.02)
    assert float(normal.std()) == pytest.approx(1, abs=0.02)


def test_describe() -> None:
    warp = WarpStep(1.0, 0.1)
    assert warp.describe(warp.parameters(torch.full((1, 10), 0.5), 32, 32), 0) == ["warp 5 %"]
    left_alone = WarpStep(0.0, 0.1)
    assert left_alone.describe(left_alone.parameters(torch.full((1, 10), 0.5), 32, 32), 0) == []
