"""Uncertainty of a metric due to the choice of test images: bootstrap intervals, and a paired test of two runs.

Imports no torch, so that reports are built without it; tensors are accepted as well as arrays.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from supcon.base.errors import RequestError
from supcon.evaluation.as_numpy import ArrayOrTensor, as_numpy

LEVEL = 0.95
DRAWS = 2000
_MOST_DISTINCT = 100
_MEMORY = 1 << 22

PerImageValues = ArrayOrTensor
"""One value for each test image."""


class Interval(NamedTuple):
    """A 95 % confidence interval."""

    low: float
    high: float


class PairedTest(NamedTuple):
    """One run against another on the same images."""

    difference: float
    """Accuracy of the first run minus that of the second."""
    interval: Interval
    """Bootstrap interval of the difference."""
    p_value: float
    """Probability of a difference at least this large between two equally good runs."""


def accuracy_interval(right: PerImageValues, *, draws: int = DRAWS, seed: int = 0) -> Interval:
    """Bootstrap interval of an accuracy, from whether each image was classified correctly.

    >>> low, high = accuracy_interval(np.arange(1000) < 900)
    >>> round(low, 2), round(high, 2)
    (0.88, 0.92)
    """
    flags = _as_float(right)
    _check(len(flags), draws)
    if flags.all():
        return Interval(1 - _unseen(len(flags)), 1.0)
    return mean_interval(flags, draws=draws, seed=seed) if flags.any() else Interval(0.0, _unseen(len(flags)))


def difference_interval(
    right: PerImageValues, reference: PerImageValues, *, draws: int = DRAWS, seed: int = 0
) -> Interval:
    """Bootstrap interval of the difference between two accuracies on the same images.

    Both are given per image: 0 or 1, or the share of several seeds that were correct. The bootstrap is paired: an image
    is drawn with the values of both, so that images that are hard for both do not widen the interval.
    """
    difference = _difference(right, reference)
    if difference.any():
        return mean_interval(difference, draws=draws, seed=seed)
    bound = _unseen(len(difference))
    return Interval(-bound, bound)


def mean_interval(values: PerImageValues, *, draws: int = DRAWS, seed: int = 0) -> Interval:
    """Bootstrap interval of a mean over images, such as the log-likelihood or the Brier score.

    A mean depends only on how often each distinct value is drawn. If there are few distinct values, these counts are
    drawn from a multinomial distribution, at a cost that does not depend on the number of images.
    """
    numbers = _as_float(values)
    _check(len(numbers), draws)
    distinct, counts = np.unique(numbers, return_counts=True)
    if len(distinct) > _MOST_DISTINCT:
        return measure_interval(lambda index: float(numbers[index].mean()), len(numbers), draws=draws, seed=seed)
    resampled = np.random.default_rng(seed).multinomial(len(numbers), counts / len(numbers), size=draws)
    return _percentiles(resampled @ distinct / len(numbers))


def measure_interval(
    measure: Callable[[Int[np.ndarray, " image"]], float], images: int, *, draws: int = DRAWS, seed: int = 0
) -> Interval:
    """Bootstrap interval of any metric of a test set, given as a function of the indices of its images.

    >>> right = np.tile([1.0, 1.0, 1.0, 0.0], 100)
    >>> low, high = measure_interval(lambda index: right[index].mean(), 400)
    >>> round(low, 1), round(high, 1)
    (0.7, 0.8)
    """
    _check(images, draws)
    random = np.random.default_rng(seed)
    return _percentiles(np.array([measure(random.integers(images, size=images)) for _ in range(draws)]))


def paired_test(right: PerImageValues, reference: PerImageValues) -> PairedTest:
    """Whether one run is better than another, from whether each was correct on the same test images.

    The p-value is that of McNemar's exact two-sided test (1947): of the images on which only one run is correct, each
    run should have half if they are equally good. If the values are shares of several seeds, it is that of a
    permutation test that swaps the two values of an image at random, of which McNemar's test is the case of one seed.
    Both test the uncertainty due to the choice of test images, not the spread over seeds.
    """
    difference = _difference(right, reference)
    interval = difference_interval(right, reference)
    if np.isin(difference, (-1, 0, 1)).all():
        p_value = _mcnemar_p_value(int((difference > 0).sum()), int((difference < 0).sum()))
    else:
        p_value = _permutation_p_value(difference)
    return PairedTest(float(difference.mean()), interval, p_value)


def _difference(right: PerImageValues, reference: PerImageValues) -> Float[np.ndarray, " image"]:
    first, second = _as_float(right), _as_float(reference)
    _check(len(first), DRAWS)
    if len(first) != len(second):
        raise RequestError(
            f"A paired test needs both runs on the same test images, got {len(first)} and {len(second)} images."
        )
    return first - second


def _mcnemar_p_value(only_first: int, only_second: int) -> float:
    """McNemar's exact test: a two-sided binomial test of the images on which only one run is correct."""
    from scipy.stats import binomtest  # imported here because it takes a second

    images = only_first + only_second
    return float(binomtest(only_first, images).pvalue) if images else 1.0


def _permutation_p_value(difference: Float[np.ndarray, " image"], draws: int = 10_000) -> float:
    """How often random signs of the images' differences give a mean at least as far from zero as the observed one.

    The observed mean counts as one of the draws (Phipson and Smyth, 2010), so that the p-value is never 0.
    scipy.stats.permutation_test gives the same up to the random draws, but takes seven times as long: 27 s instead of
    4 s for 20,000 images.
    """
    unequal = difference[difference != 0]
    random, at_once = np.random.default_rng(0), max(1, _MEMORY // len(unequal))
    sums = [
        (random.integers(2, size=(min(at_once, draws - start), len(unequal)), dtype=np.int8) * 2.0 - 1) @ unequal
        for start in range(0, draws, at_once)
    ]
    # The same sum in another order differs in the last digit; the tolerance still counts it as equal.
    extreme = int((np.abs(np.concatenate(sums)) >= abs(unequal.sum()) - 1e-9).sum())
    return (extreme + 1) / (draws + 1)


def _unseen(images: int) -> float:
    """Upper bound of the frequency of an event that none of the images showed (Clopper and Pearson, 1934).

    Used if all values are equal: resampling would then give an interval of width zero.
    """
    return 1 - float(((1 - LEVEL) / 2) ** (1 / images))


def _percentiles(values: Float[np.ndarray, " draw"]) -> Interval:
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))


def _as_float(values: PerImageValues) -> NDArray[np.float64]:
    return as_numpy(values).astype(np.float64)


def _check(images: int, draws: int) -> None:
    if images < 1 or draws < 1:
        raise RequestError(f"A bootstrap needs at least one image and one draw, got {images} and {draws}.")
