import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torchmetrics.functional.classification import binary_calibration_error

from supcon.evaluation import reliability_bins
from supcon.report import RunResults
from supcon.report.plots.reliability import Reliability, calibration_in_words, reliability, reliability_plot

CONFIDENCES = arrays(np.float64, st.integers(1, 60), elements=st.floats(0.5, 1))


@given(CONFIDENCES, st.integers(1, 20))
def test_bins_equal_those_of_the_evaluation(confidence: np.ndarray, bins: int) -> None:
    correct = np.random.default_rng(len(confidence)).random(len(confidence)) < 0.7
    ours = reliability(confidence, correct, bins)
    # Class 0 is predicted with the confidence; the label says whether that is right.
    theirs = reliability_bins(
        torch.from_numpy(np.stack([confidence, np.full_like(confidence, -1)], axis=1)),
        torch.from_numpy(~correct).long(),
        bins,
    )
    np.testing.assert_array_equal(ours.images, theirs.counts.numpy())
    full = ours.images > 0
    np.testing.assert_allclose(ours.accuracy[full], theirs.accuracy.numpy()[full], atol=1e-12)
    np.testing.assert_allclose(ours.confidence[full], theirs.confidence.numpy()[full], atol=1e-12)
    assert np.isnan(ours.accuracy[~full]).all()


def test_error_equals_torchmetrics(digits_run: RunResults) -> None:
    outputs = digits_run.outputs
    expected = binary_calibration_error(
        torch.from_numpy(outputs.confidence), torch.from_numpy(outputs.correct).long(), n_bins=15
    )
    assert reliability(outputs.confidence, outputs.correct).error == pytest.approx(float(expected), abs=1e-6)


@pytest.mark.parametrize(
    ("confidence", "words"),
    [
        (0.9, "10.0 points above how often it is right: it is too sure"),
        (0.7, "10.0 points below"),
        (0.801, "matches how often"),
    ],
)
def test_words(confidence: float, words: str) -> None:
    bins = reliability(np.full(100, confidence), np.arange(100) < 80)
    assert words in calibration_in_words(bins)


def test_figure_shows_accuracy_gap_and_counts() -> None:
    bins = reliability(np.repeat([0.55, 0.95], [5, 20]), np.repeat([True, False, True], [1, 4, 20]), bins=10)
    _, accuracy, gap, images = reliability_plot(bins).figure["data"]
    assert accuracy["x"][5] == 55
    assert accuracy["y"] == [None, None, None, None, None, 20, None, None, None, 100]
    assert (gap["base"][5], gap["y"][5]) == (20, 35)
    assert images["y"] == [0, 0, 0, 0, 0, 5, 0, 0, 0, 20]
    assert accuracy["marker"]["opacity"][5] < accuracy["marker"]["opacity"][9], "five images say little"
    assert images["hovertext"][5] == "5 images<br>55.0\xa0% sure, 20.0\xa0% right"


def test_no_images_at_all() -> None:
    empty = Reliability(images=np.zeros(3, int), accuracy=np.full(3, np.nan), confidence=np.full(3, np.nan))
    assert empty.error == 0
    go.Figure(reliability_plot(empty).figure)
