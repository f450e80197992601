import numpy as np
import pytest
from scipy.stats import binomtest

from supcon.evaluation import accuracy_interval, difference_interval, paired_test


def resampled(values: np.ndarray) -> tuple[float, float]:
    """The bootstrap as it is told: draw as many images with replacement, take the mean, often."""
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
