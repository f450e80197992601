"""Checks of numbers and choices."""

import math

import pytest

from supcon.base.errors import RequestError
from supcon.views.number_checks import check_at_least_one, check_choice, check_positive, check_range, check_within


def test_good_values_pass() -> None:
    check_choice("order", "a", ("a", "b"))
    check_at_least_one("count", 1)
    check_range("crop_area", (0.08, 1.0), largest=1)
    check_within("hue", 0.0, largest=0.5)
    check_within("hue", 0.5, largest=0.5)
    check_positive("alpha", 1e-9)


@pytest.mark.parametrize("value", [(0.0, 1.0), (0.5, 0.4), (0.5, 1.1), (math.nan, 1.0)])
def test_ranges_must_be_ordered_and_within_their_limit(value: tuple[float, float]) -> None:
    with pytest.raises(RequestError, match=r"crop_area must be two numbers with 0 < first ≤ second ≤ 1, got \("):
        check_range("crop_area", value, largest=1)


@pytest.mark.parametrize("value", [-0.1, math.inf, math.nan])
def test_amounts_must_be_finite_and_not_negative(value: float) -> None:
    with pytest.raises(RequestError, match=r"contrast must be finite and at least 0, got .*; give a number in that "):
        check_within("contrast", value)


@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, math.nan])
def test_positive_numbers_must_be_above_0(value: float) -> None:
    with pytest.raises(RequestError, match=r"alpha must be above 0, got .*; give a positive number"):
        check_positive("alpha", value)


def test_choices_and_counts() -> None:
    with pytest.raises(RequestError, match="order must be one of a, b, got 'c'; choose one of them"):
        check_choice("order", "c", ("a", "b"))
    with pytest.raises(RequestError, match="count must be at least 1, got 0; give a positive whole number"):
        check_at_least_one("count", 0)
