import math

import pytest

from supcon.report.tables.measure_names import describe, duration, format_value, is_headline, points


@pytest.mark.parametrize(
    ("name", "title", "better", "value", "text"),
    [
        ("test/top1", "Test accuracy", "higher", 0.98765, "98.77 %"),
        ("test/top5", "Test top-5 accuracy", "higher", 1.0, "100.00 %"),
        ("test/knn_top1", "Test k-NN accuracy", "higher", 0.5, "50.00 %"),
        ("validation/mean_per_class", "Validation mean per-class accuracy", "higher", 0.25, "25.00 %"),
        ("test/ece", "Test calibration error", "lower", 0.0123, "1.23 %"),
        ("test/nll", "Test negative log-likelihood", "lower", 0.53, "0.5300"),
        ("seconds/stage1", "Time of stage 1", "lower", 71.3, "1 min 11 s"),
        ("parameters/encoder", "Encoder parameters", "", 694016.0, "694,016"),
        ("test/brier", "Test Brier score", "lower", 0.1, "0.1000"),
        ("test/scaled_ece", "Test calibration error after temperature scaling", "lower", 0.01, "1.00 %"),
        ("test/top1_low", "Test accuracy, low end of the interval", "", 0.9, "90.00 %"),
        ("test/recall_at_5", "Test recall at 5", "higher", 0.9, "90.00 %"),
        ("test/knn20_t0.07_top1", "Test k-NN accuracy, k = 20, temperature 0.07", "higher", 0.9, "90.00 %"),
        ("test/uniformity", "Test uniformity", "", -2.5, "−2.500"),
        ("corruptions/mce", "Mean corruption error", "lower", 0.672, "67.20 %"),
        ("corruptions/mean_ece", "Mean calibration error under corruptions", "lower", 0.5, "50.00 %"),
        ("corruptions/severity_3/mean_top1", "Severity 3: mean accuracy", "higher", 0.5, "50.00 %"),
        ("corruptions/glass_blur/3/ece", "Glass blur, severity 3: calibration error", "lower", 0.5, "50.00 %"),
        (
            "transfer/voc2007/fine_tune/map_11_point",
            "Transfer to voc2007, fine-tuned: mean average precision, 11 points",
            "higher",
            0.5,
            "50.00 %",
        ),
        (
            "transfer/mean/linear/accuracy",
            "Transfer, mean over sets, linear classifier: accuracy",
            "higher",
            0.5,
            "50.00 %",
        ),
        ("on/photos/top1", "On photos: accuracy", "higher", 0.5, "50.00 %"),
        ("nobody/foresaw", "nobody/foresaw", "", -0.5, "−0.5000"),
        ("some/variance", "some/variance", "", 0.5, "0.5000"),
    ],
)
def test_measures_by_name(name: str, title: str, better: str, value: float, text: str) -> None:
    measure = describe(name)
    assert (measure.title, measure.better, measure.text(value)) == (title, better, text.replace(" %", "\xa0%"))


def test_what_stands_for_itself() -> None:
    names = ["test/top1", "corruptions/mean_top1", "corruptions/mce", "transfer/dtd/linear/top1"]
    assert all(map(is_headline, names))
    assert not any(map(is_headline, ["test/nll_high", "corruptions/fog/1/ece", "corruptions/severity_1/mean_ece"]))


def test_what_is_no_number() -> None:
    for kind in ("share", "seconds", "count", "number"):
        assert format_value(math.nan, kind) == "not available"
        assert format_value(math.inf, kind) == "∞"
        assert format_value(-math.inf, kind) == "−∞"


def test_spread_has_the_unit_of_its_mean() -> None:
    assert describe("test/top1").spread(0.00123) == "0.12"
    assert describe("test/nll").spread(0.00123) == "0.0012"
    assert describe("seconds/stage1").spread(1.26) == "1.3 s"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0.0 s"), (59.94, "59.9 s"), (59.96, "1 min 0 s"), (3599.6, "1 h 0 min"), (7265, "2 h 1 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_points_have_a_sign_but_zero_has_none() -> None:
    assert [points(value) for value in (0.0234, -0.0234, 0.0001, -0.0001)] == ["+2.3", "−2.3", "0.0", "0.0"]
