"""TensorFlow's crops against boxes that TensorFlow drew (`references/published`)."""

from collections import defaultdict

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from references.published_tables import read_table
from supcon.views.crop_flip import CropFlipStep
from supcon.views.steps.crop_boxes import tensorflow_boxes

SIZES = sorted({(int(row["height"]), int(row["width"])) for row in read_table("crop_boxes")})
QUANTILES = [1, 5, 10, 25, 50, 75, 90, 95, 99]


def drawn(height: int, width: int, count: int = 40_000) -> dict[str, NDArray[np.float64]]:
    uniform = torch.rand(count, 22, generator=torch.Generator().manual_seed(0)).numpy()
    top, left, box_height, box_width = (
        side.astype(float) for side in tensorflow_boxes(uniform, height, width, (0.08, 1.0), (0.75, 1.33))
    )
    return {
        "area": box_height * box_width / (height * width),
        "aspect": box_width / box_height,
        "height": box_height / height,
        "top": top / np.maximum(1, height - box_height),
        "left": left / np.maximum(1, width - box_width),
    }


@pytest.mark.parametrize("size", SIZES)
def test_boxes_have_tensorflows_distribution(size: tuple[int, int]) -> None:
    ours = drawn(*size)
    table: dict[str, dict[str, str]] = defaultdict(dict)
    for row in read_table("crop_boxes"):
        if (int(row["height"]), int(row["width"])) == size:
            table[row["value"]] = row
    assert set(table) == set(ours)
    for name, values in ours.items():
        theirs = [float(table[name][f"q{quantile}"]) for quantile in QUANTILES]
        # Both are samples, of 20,000 and 40,000 boxes.
        assert np.percentile(values, QUANTILES) == pytest.approx(theirs, abs=0.02)
        assert values.mean() == pytest.approx(float(table[name]["mean"]), abs=0.006)


def test_torchvisions_law_differs() -> None:
    """What the docstring says: torchvision draws areas evenly, TensorFlow prefers small ones."""
    uniform = torch.rand(20_000, 23, generator=torch.Generator().manual_seed(0))
    step = CropFlipStep(224, (0.08, 1.0), (3 / 4, 4 / 3), 0.0)
    even = step.parameters(uniform, 224, 224).share.double().median()
    assert float(even) == pytest.approx(0.48, abs=0.02)
    assert float(np.median(drawn(224, 224)["area"])) == pytest.approx(0.39, abs=0.02)


def test_the_step_draws_by_the_law_it_is_given() -> None:
    uniform = torch.rand(1000, 23, generator=torch.Generator().manual_seed(0))
    step = CropFlipStep(224, (0.08, 1.0), (0.75, 1.33), 0.5, "tensorflow")
    box = step.parameters(uniform, 375, 500)
    expected = tensorflow_boxes(uniform[:, :-1].numpy(), 375, 500, (0.08, 1.0), (0.75, 1.33))
    for got, wanted in zip(box, expected, strict=False):
        assert np.array_equal(got.numpy(), wanted)
    assert float(box.share.min()) >= 0.1


@pytest.mark.parametrize("size", [(10, 1000), (1000, 10)])
def test_where_no_box_fits_the_central_square_is_taken(size: tuple[int, int]) -> None:
    uniform = np.random.default_rng(0).random((5, 22))
    top, left, box_height, box_width = tensorflow_boxes(uniform, *size, (0.08, 1.0), (0.75, 1.33))
    assert set(box_height) == set(box_width) == {10}
    assert (set(top), set(left)) == ({(size[0] - 10 + 1) // 2}, {(size[1] - 10 + 1) // 2})
