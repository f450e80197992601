import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, bootstrap, permutation_test

from supcon.base.errors import RequestError
from supcon.evaluation import accuracy_interval, difference_interval, mean_interval, measure_interval, paired_test


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


def exact_p_value(gained: int, lost: int) -> float:
    """McNemar's exact two-sided p-value: the integer count of fair coin tosses that are at least as uneven."""
    tosses, ways, uneven = gained + lost, 1, 0
    for heads in range(min(gained, lost) + 1):
        uneven += ways
        ways = ways * (tosses - heads) // (heads + 1)
    return min(1.0, float(2 * uneven / 2**tosses))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 50))
def test_the_p_value_is_the_exact_binomial_one(gained: int, lost: int, same: int) -> None:
    right = torch.tensor([True] * gained + [False] * lost + [True] * same)
    reference = torch.tensor([False] * gained + [True] * lost + [True] * same)
    found = paired_test(right, reference)
    assert found.p_value == pytest.approx(exact_p_value(gained, lost))
    assert found.difference == pytest.approx((gained - lost) / len(right))
    assert found.interval.low <= found.difference <= found.interval.high


def test_many_images_do_not_overflow() -> None:
    right, reference = flags(50_000, 0.8), flags(50_000, 0.8, seed=1)
    found = paired_test(right, reference)
    expected = exact_p_value(int((right & ~reference).sum()), int((reference & ~right).sum()))
    assert 0.01 < expected < 1
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
        RequestError, match=r"^A paired test needs both runs on the same test images, got 2 and 3 images"
    ):
        paired_test(flags(2, 0.5), flags(3, 0.5))
    with pytest.raises(RequestError, match=r"^A bootstrap needs at least one image"):
        paired_test(flags(0, 0.5), flags(0, 0.5))


def test_not_a_number_never_comes_out_of_flags() -> None:
    assert all(map(math.isfinite, accuracy_interval(flags(3, 0.5, seed=2))))


def resampled(values: np.ndarray) -> tuple[float, float]:
    """The bootstrap by its definition: many means of as many images drawn with replacement."""
    generator = np.random.default_rng(1)
    means = [generator.choice(values, size=len(values)).mean() for _ in range(4000)]
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


@pytest.mark.parametrize(("right", "wrong"), [(180, 20), (355, 5), (30, 30)])
def test_accuracy_interval_is_the_bootstrap(right: int, wrong: int) -> None:
    correct = np.repeat([True, False], [right, wrong])
    low, high = accuracy_interval(correct)
    expected = resampled(correct.astype(float))
    assert (low, high) == pytest.approx(expected, abs=1.5 / len(correct))
    assert low < right / (right + wrong) < high


@pytest.mark.parametrize("images", [1, 10, 360])
def test_without_spread_the_exact_bound_stands_in(images: int) -> None:
    for all_right in (True, False):
        exact = binomtest(images if all_right else 0, images).proportion_ci(0.95, method="exact")
        assert accuracy_interval(np.full(images, all_right)) == pytest.approx((exact.low, exact.high))


def test_difference_is_paired() -> None:
    generator = np.random.default_rng(0)
    hard = generator.random(400) < 0.3
    first = ~hard
    second = first.copy()
    second[np.flatnonzero(first)[:8]] = False
    low, high = difference_interval(first.astype(float), second.astype(float))
    assert (low, high) == pytest.approx(resampled(first.astype(float) - second), abs=0.003)
    assert 0 < low < 8 / 400 < high, "eight images of 400 that only one gets right are no chance when paired"


def test_difference_of_shares_over_seeds() -> None:
    generator = np.random.default_rng(0)
    right, reference = generator.integers(0, 4, size=(2, 300)) / 3
    assert difference_interval(right, reference) == pytest.approx(resampled(right - reference), abs=0.01)


def test_equal_models_may_still_differ_on_other_images() -> None:
    low, high = difference_interval(np.ones(100), np.ones(100))
    assert low == -high
    assert high == pytest.approx(1 - 0.025**0.01)


def test_several_seeds_are_compared_by_exchanging_them() -> None:
    """With one seed the permutation test is McNemar's; the same differences times 1/3 must give the same p-value."""
    generator = np.random.default_rng(0)
    first, second = generator.random((2, 300)) < [[0.8], [0.7]]
    exact = paired_test(first, second).p_value
    shares = paired_test(first / 3, second / 3)
    assert shares.p_value == pytest.approx(exact, rel=0.25)
    assert shares.difference == pytest.approx((first.mean() - second.mean()) / 3)
    assert paired_test(np.linspace(0, 1, 200), np.zeros(200)).p_value == pytest.approx(1 / 10_001)


def test_the_permutation_test_agrees_with_scipys() -> None:
    generator = np.random.default_rng(3)
    right, reference = generator.binomial(3, [[0.8], [0.76]], size=(2, 400)) / 3
    expected = permutation_test(
        (right - reference,),
        lambda values, axis: np.abs(values.sum(axis)),
        permutation_type="samples",
        alternative="greater",
        n_resamples=4999,
        rng=0,
    )
    assert 0.01 < expected.pvalue < 0.9
    assert paired_test(right, reference).p_value == pytest.approx(expected.pvalue, abs=0.03)
