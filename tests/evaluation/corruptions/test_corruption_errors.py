import pytest

from supcon.base.errors import RequestError
from supcon.evaluation import (
    ALEXNET,
    CORRUPTIONS,
    CorruptionBaseline,
    corruption_error,
    mean_corruption_error,
    relative_mean_corruption_error,
    run_as_baseline,
)

BASELINE = CorruptionBaseline(name="b", clean=0.1, errors={"fog": 0.5, "snow": 0.2})
TWO = ("fog", "snow")


def test_by_hand() -> None:
    errors = {"fog": [0.1, 0.2, 0.3, 0.4, 0.5], "snow": [0.3] * 5}
    assert corruption_error(errors["fog"], "fog", BASELINE) == pytest.approx(0.3 / 0.5)
    assert mean_corruption_error(errors, BASELINE, TWO) == pytest.approx((0.6 + 1.5) / 2)
    relative = ((0.3 - 0.05) / (0.5 - 0.1) + (0.3 - 0.05) / (0.2 - 0.1)) / 2
    assert relative_mean_corruption_error(errors, 0.05, BASELINE, TWO) == pytest.approx(relative)


def test_the_order_of_the_names_does_not_matter() -> None:
    """The trap: a list of AlexNet's errors in another order than the list of corruptions."""
    errors = {name: [index / 20] * 5 for index, name in enumerate(CORRUPTIONS)}
    backwards = dict(reversed(errors.items()))
    expected = sum(index / 20 / ALEXNET.errors[name] for index, name in enumerate(CORRUPTIONS)) / 15
    assert mean_corruption_error(errors) == pytest.approx(expected)
    assert mean_corruption_error(backwards) == pytest.approx(expected)


def test_alexnet_is_one_hundred_per_cent_of_itself() -> None:
    errors = {name: [error] * 5 for name, error in ALEXNET.errors.items()}
    assert mean_corruption_error(errors) == pytest.approx(1)
    assert relative_mean_corruption_error(errors, ALEXNET.clean) == pytest.approx(1)
    assert set(ALEXNET.errors) == set(CORRUPTIONS)


def test_extra_corruptions_do_not_count_unless_asked_for() -> None:
    errors = {name: [error] * 5 for name, error in ALEXNET.errors.items()} | {"spatter": [1.0] * 5}
    assert mean_corruption_error(errors) == pytest.approx(1)


def test_a_run_as_baseline() -> None:
    run = run_as_baseline("runs/a", 0.1, {"fog": [0.2, 0.4], "snow": [0.5, 0.5]})
    assert (run.name, run.clean) == ("runs/a", 0.1)
    assert run.errors == pytest.approx({"fog": 0.3, "snow": 0.5})
    assert mean_corruption_error({"fog": [0.3], "snow": [0.25]}, run, TWO) == pytest.approx(0.75)


def test_what_is_missing_is_said() -> None:
    with pytest.raises(
        RequestError, match=r"^There are no errors for the corruption snow; evaluate it, or leave it out"
    ):
        mean_corruption_error({"fog": [0.5]}, BASELINE, TWO)
    with pytest.raises(
        RequestError, match=r"^The baseline b has no error for the corruption frost; choose one that was"
    ):
        mean_corruption_error({"frost": [0.5]}, BASELINE, ["frost"])


@pytest.mark.parametrize("values", [[], [0.5, 1.2], [-0.1], [float("nan")]])
def test_errors_that_are_no_shares_are_refused(values: list[float]) -> None:
    with pytest.raises(RequestError, match=r"^The errors of fog must be shares between 0 and 1, one for each severity"):
        corruption_error(values, "fog", BASELINE)


def test_a_perfect_baseline_is_no_unit() -> None:
    perfect = CorruptionBaseline(name="p", clean=0.2, errors={"fog": 0.0, "snow": 0.2})
    with pytest.raises(RequestError, match=r"^The baseline p loses no accuracy to the corruption fog, so there is no"):
        corruption_error([0.5], "fog", perfect)
    with pytest.raises(RequestError, match=r"^The baseline p loses no accuracy to the corruption snow, so there is no"):
        relative_mean_corruption_error({"snow": [0.5]}, 0.1, perfect, ["snow"])
