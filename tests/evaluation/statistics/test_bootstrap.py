import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, bootstrap

from supcon.base.errors import RequestError
from supcon.evaluation import accuracy_interval, mean_interval, measure_interval, paired_test


def flags(count: int, share: float, seed: int = 0) -> torch.Tensor:
    return torch.rand(count, generator=torch.Generator().manual_seed(seed)) < share


@pytest.mark.parametrize("kind", ["few values", "many values"])
def test_means_agree_with_scipys_bootstrap(kind: str) -> None:
    values = torch.randn(300, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    values = values.round() if kind == "few values" else values
    expected = bootstrap((values.numpy(),), lambda x, axis: x.mean(axis), method="percentile", rng=0)
    low, high = mean_interval(values)
    assert low == pytest.approx(expected.confidence_interval.low, abs=0.015)
    assert high == pytest.approx(expected.confidence_interval.high, abs=0.015)


def test_any_measure_agrees_with_the_mean_where_it_is_one() -> None:
    right = flags(200, 0.8)
    by_measure = measure_interval(lambda index: right[index].double().mean().item(), 200)
    assert by_measure == pytest.approx(accuracy_interval(right), abs=0.01)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    covered = 0
    for seed in range(200):
        low, high = accuracy_interval(flags(400, 0.7, seed), draws=500)
        covered += low <= 0.7 <= high
    assert 0.9 <= covered / 200 <= 0.99


def test_the_seed_fixes_it() -> None:
    right = flags(3000, 0.5)
    assert accuracy_interval(right) == accuracy_interval(right)
    assert accuracy_interval(right, seed=1) != accuracy_interval(right)


@pytest.mark.parametrize("images", [1, 20])
def test_a_model_without_a_mistake_is_not_certain(images: int) -> None:
    reach = 1 - 0.025 ** (1 / images)
    assert accuracy_interval(torch.ones(images, dtype=torch.bool)) == pytest.approx((1 - reach, 1))
    assert accuracy_interval(torch.zeros(images, dtype=torch.bool)) == pytest.approx((0, reach))
    expected = binomtest(images, images).proportion_ci(method="exact").low
    assert 1 - reach == pytest.approx(expected)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 50))
def test_the_p_value_is_the_exact_binomial_one(gained: int, lost: int, same: int) -> None:
    right = torch.tensor([True] * gained + [False] * lost + [True] * same)
    reference = torch.tensor([False] * gained + [True] * lost + [True] * same)
    found = paired_test(right, reference)
    expected = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert found.p_value == pytest.approx(expected)
    assert found.difference == pytest.approx((gained - lost) / len(right))
    assert found.interval.low <= found.difference <= found.interval.high


def test_many_images_do_not_overflow() -> None:
    right, reference = flags(50_000, 0.8), flags(50_000, 0.8, seed=1)
    found = paired_test(right, reference)
    expected = binomtest(int((right & ~reference).sum()), int((right ^ reference).sum())).pvalue
    assert found.p_value == pytest.approx(expected)


def test_pairing_sees_what_two_intervals_do_not() -> None:
    reference = flags(1000, 0.7)
    right = reference.clone()
    right[(~reference).nonzero()[:15]] = True
    found = paired_test(right, reference)
    assert found.interval.low > 0
    assert found.p_value < 0.001
    assert accuracy_interval(right).low < accuracy_interval(reference).high


def test_equal_runs_differ_by_nothing_and_nobody_knows_how_little() -> None:
    right = flags(50, 0.5)
    found = paired_test(right, right)
    assert (found.difference, found.p_value) == (0.0, 1.0)
    assert found.interval.high == -found.interval.low > 0


def test_bad_requests_are_refused() -> None:
    with pytest.raises(RequestError, match=r"^A bootstrap needs at least one image and one draw, got 0 and 2000\.$"):
        mean_interval(torch.zeros(0))
    with pytest.raises(RequestError, match=r"^A bootstrap needs at least one image and one draw, got 5 and 0\.$"):
        measure_interval(lambda index: 0.0, 5, draws=0)
    with pytest.raises(
        RequestError, match=r"^A paired test needs both runs on the same test images, got 2 and 3 of them"
    ):
        paired_test(flags(2, 0.5), flags(3, 0.5))
    with pytest.raises(RequestError, match=r"^A bootstrap needs at least one image"):
        paired_test(flags(0, 0.5), flags(0, 0.5))


def test_not_a_number_never_comes_out_of_flags() -> None:
    assert all(map(math.isfinite, accuracy_interval(flags(3, 0.5, seed=2))))
