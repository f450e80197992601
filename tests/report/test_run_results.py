import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import jaxtyping
import numpy as np
import pytest

from supcon.report import Curve, RunResults


def test_predictions_come_from_the_probabilities(make_run: Callable[..., RunResults]) -> None:
    outputs = make_run(3).outputs
    for image, row in enumerate(outputs.probabilities.tolist()):
        best = row.index(max(row))
        assert outputs.predicted[image] == best
        assert outputs.confidence[image] == row[best]
        assert outputs.correct[image] == (best == outputs.labels[image])


@pytest.fixture
def unchecked_shapes() -> Iterator[None]:
    """As users have it: only the tests check jaxtyping's annotations."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.mark.usefixtures("unchecked_shapes")
def test_curve_of_two_lengths() -> None:
    with pytest.raises(ValueError, match="one value per epoch, got 2 epochs and 1 values; give arrays of equal length"):
        Curve(epochs=np.arange(2), values=np.zeros(1))


@pytest.mark.usefixtures("unchecked_shapes")
@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("probabilities", np.full((3, 3), 1 / 3), r"probabilities must have one row for every entry of labels \(400\)"),
        ("coordinates", np.zeros((2, 2)), r"coordinates must have one row for every entry of map_index \(300\), got 2"),
        ("thumbnails", np.zeros((1, 4, 4, 1), np.uint8), "thumbnails must have one row for every entry of thumbnail_i"),
        ("labels", np.full(400, 3), "labels must be between 0 and 2, got 3 to 3"),
        ("map_index", np.arange(300) + 200, "map_index must be between 0 and 399, got 200 to 499"),
        ("thumbnail_index", np.arange(50) - 1, "thumbnail_index must be between 0 and 399, got -1 to 48"),
    ],
)
def test_arrays_that_do_not_fit(
    make_run: Callable[..., RunResults], field: str, value: np.ndarray, message: str
) -> None:
    changes: dict[str, Any] = {field: value}
    with pytest.raises(ValueError, match=message):
        replace(make_run(3).outputs, **changes)


def test_class_names_that_do_not_fit(make_run: Callable[..., RunResults]) -> None:
    with pytest.raises(ValueError, match="must have one name per class of the probabilities, got 2 and 3"):
        make_run(3, names=["a", "b"])


def test_importing_the_report_does_not_import_torch() -> None:
    code = "import sys, supcon.report; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
