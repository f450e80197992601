"""Blurs and zooms along both axes, against scipy."""

import numpy as np
import pytest
import torch
from scipy.ndimage import gaussian_filter, zoom

from supcon.evaluation.corruptions.linear_filters import gaussian, gaussian_matrix, mean_of_zooms, zoom_matrix, zoomed

IMAGES = torch.rand(2, 3, 17, 23, generator=torch.Generator().manual_seed(0)) * 255


@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize(("sigma", "truncate"), [(0.4, 4.0), (1.5, 4.0), (3.0, 3.0), (9.0, 4.0)])
def test_gaussian_is_scipys(sigma: float, truncate: float, mirror: bool) -> None:
    found = gaussian(IMAGES, sigma, truncate=truncate, mirror=mirror)
    mode = "reflect" if mirror else "nearest"
    expected = gaussian_filter(IMAGES.double().numpy(), (0, 0, sigma, sigma), mode=mode, truncate=truncate)
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-3)


def test_a_sigma_without_neighbours_changes_nothing() -> None:
    assert gaussian(IMAGES, 0.1) is IMAGES


def test_every_row_of_a_filter_sums_to_1() -> None:
    for matrix in (gaussian_matrix(20, 2.0, 4.0, True), gaussian_matrix(20, 2.0, 4.0, False), zoom_matrix(20, 1.3)):
        assert torch.allclose(matrix.sum(1), torch.ones(20))


@pytest.mark.parametrize("factor", [1.0, 1.11, 1.3, 2.5])
def test_zooms_are_scipys_of_the_middle(factor: float) -> None:
    image = IMAGES[0, 0].double().numpy()[:17, :17]
    inner = int(np.ceil(17 / factor))
    top = (17 - inner) // 2
    expected = zoom(image[top : top + inner, top : top + inner], factor, order=1)
    cut = (expected.shape[0] - 17) // 2
    found = zoomed(torch.from_numpy(image).float(), factor)
    np.testing.assert_allclose(found.numpy(), expected[cut : cut + 17, cut : cut + 17], atol=1e-3)


def test_the_mean_of_zooms_is_that_of_a_loop() -> None:
    factors = np.arange(1, 1.26, 0.02)
    expected = (IMAGES + sum(zoomed(IMAGES, float(factor)) for factor in factors)) / (len(factors) + 1)
    assert torch.allclose(mean_of_zooms(IMAGES, 1.26, 0.02), expected, atol=1e-3)
