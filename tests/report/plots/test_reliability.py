import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from torchmetrics.functional.classification import binary_calibration_error

from supcon.evaluation import ReliabilityBins, reliability_bins
from supcon.report import RunResults
from supcon.report.plots.reliability import calibration_in_words, reliability_plot


def binned(confidence: np.ndarray, correct: np.ndarray, bins: int = 15) -> ReliabilityBins:
    """Bins of predictions of class 0 with these confidences; the label says whether each is right."""
    probabilities = np.stack([confidence, np.full_like(confidence, -1)], axis=1)
    return reliability_bins(probabilities, (~correct).astype(np.int64), bins)


def test_error_equals_torchmetrics(digits_run: RunResults) -> None:
    outputs = digits_run.outputs
    expected = binary_calibration_error(
        torch.from_numpy(outputs.confidence), torch.from_numpy(outputs.correct).long(), n_bins=15
    )
    error = reliability_bins(outputs.probabilities, outputs.labels).error
    assert error == pytest.approx(float(expected), abs=1e-6)
    assert error == digits_run.measures["test/ece"]


@pytest.mark.parametrize(
    ("confidence", "sentence"),
    [
        (0.9, "Its mean confidence is 10.0 points above its accuracy: it is overconfident."),
        (0.7, "Its mean confidence is 10.0 points below its accuracy: it is underconfident."),
        (0.801, "Its mean confidence matches its accuracy."),
    ],
)
def test_the_sentence_says_whether_it_is_overconfident(confidence: float, sentence: str) -> None:
    assert calibration_in_words(binned(np.full(100, confidence), np.arange(100) < 80)) == sentence


def test_a_gap_that_chance_explains_is_no_verdict() -> None:
    few, many = np.full(153, 0.97), np.full(15_300, 0.97)
    said = calibration_in_words(binned(few, np.arange(153) < 147))
    assert said == (
        "Its mean confidence is 0.9 points above its accuracy: with 153 images up to 2.7 points are chance, so they do "
        "not tell whether it is overconfident."
    )
    assert calibration_in_words(binned(many, np.arange(15_300) < 14_700)).endswith("it is overconfident.")


def test_figure_shows_accuracy_gap_and_counts() -> None:
    bins = binned(np.repeat([0.55, 0.95], [5, 20]), np.repeat([True, False, True], [1, 4, 20]), bins=10)
    _, accuracy, gap, images = reliability_plot(bins).figure["data"]
    assert accuracy["x"][5] == 55
    assert accuracy["y"] == [None, None, None, None, None, 20, None, None, None, 100]
    assert (gap["base"][5], gap["y"][5]) == (20, 35)
    assert images["y"] == [0, 0, 0, 0, 0, 5, 0, 0, 0, 20]
    assert accuracy["marker"]["opacity"][5] < accuracy["marker"]["opacity"][9], "five images say little"
    assert images["hovertext"][5] == "5 images<br>confidence 55.0\xa0%, accuracy 20.0\xa0%"


def test_no_images_at_all() -> None:
    empty = ReliabilityBins(np.zeros(3, int), np.zeros(3), np.zeros(3))
    figure = reliability_plot(empty).figure
    go.Figure(figure)
    assert figure["data"][1]["y"] == [None, None, None]
