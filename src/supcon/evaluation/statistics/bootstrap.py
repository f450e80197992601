"""How sure a figure is, given how few test images it rests on: bootstrap intervals, and a paired test of two runs.

Free of torch, so that pages can be built without it; tensors are taken as well as arrays.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from supcon.base.errors import RequestError

LEVEL = 0.95
DRAWS = 2000
_MOST_DISTINCT = 100
_MEMORY = 1 << 22

PerImageValues = Any
"""One value for each test image, in a torch tensor on any device or a numpy array."""


class Interval(NamedTuple):
    """Where the figure would lie for 95 of 100 test sets like this one."""

    low: float
    high: float


class PairedTest(NamedTuple):
    """One run against another on the same images."""

    difference: float
    """How much higher the first run's accuracy is."""
    interval: Interval
    """Bootstrap interval of the difference."""
    p_value: float
    """How likely a difference at least this large is between runs that are equally good."""


def accuracy_interval(right: PerImageValues, *, draws: int = DRAWS, seed: int = 0) -> Interval:
    """Bootstrap interval of an accuracy, from which images were right.

    >>> low, high = accuracy_interval(np.arange(1000) < 900)
    >>> round(low, 2), round(high, 2)
    (0.88, 0.92)
    """
    flags = _numbers(right)
    _check(len(flags), draws)
    if flags.all():
        return Interval(1 - _unseen(len(flags)), 1.0)
    return mean_interval(flags, draws=draws, seed=seed) if flags.any() else Interval(0.0, _unseen(len(flags)))


def difference_interval(
    right: PerImageValues, reference: PerImageValues, *, draws: int = DRAWS, seed: int = 0
) -> Interval:
    """Bootstrap interval of how much higher one accuracy is than another on the same images.

    Both are given per image: 0 or 1, or the share of several seeds that got it right. Paired: an image is drawn with
    what both made of it, so what is hard for both does not blur the difference.
    """
    difference = _difference(right, reference)
    if difference.any():
        return mean_interval(difference, draws=draws, seed=seed)
    reach = _unseen(len(difference))
    return Interval(-reach, reach)


def mean_interval(values: PerImageValues, *, draws: int = DRAWS, seed: int = 0) -> Interval:
    """Bootstrap interval of a mean over images, such as the log-likelihood or the Brier score.

    Only how often each distinct value comes up matters to a mean, so where there are few of them the draws are
    multinomial: they cost the same for ten images and for a million.
    """
    numbers = _numbers(values)
    _check(len(numbers), draws)
    distinct, counts = np.unique(numbers, return_counts=True)
    if len(distinct) > _MOST_DISTINCT:
        return measure_interval(lambda index: float(numbers[index].mean()), len(numbers), draws=draws, seed=seed)
    resampled = np.random.default_rng(seed).multinomial(len(numbers), counts / len(numbers), size=draws)
    return _percentiles(resampled @ distinct / len(numbers))


def measure_interval(
    measure: Callable[[Int[np.ndarray, " image"]], float], images: int, *, draws: int = DRAWS, seed: int = 0
) -> Interval:
    """Bootstrap interval of any measure of a test set, given as a function of the indices of its images.

    >>> right = np.tile([1.0, 1.0, 1.0, 0.0], 100)
    >>> low, high = measure_interval(lambda index: right[index].mean(), 400)
    >>> round(low, 1), round(high, 1)
    (0.7, 0.8)
    """
    _check(images, draws)
    random = np.random.default_rng(seed)
    return _percentiles(np.array([measure(random.integers(images, size=images)) for _ in range(draws)]))


def paired_test(right: PerImageValues, reference: PerImageValues) -> PairedTest:
    """Whether one run is better than another, from which of the same test images each got right.

    The p-value is McNemar's (1947), exact and two-sided: only images that one run got right and the other did not say
    anything, and between equally good runs each of them is a fair coin. Where the values are shares of several seeds,
    the coin decides which of the two groups an image's share belongs to (a permutation test, of which McNemar's is
    the case of one seed). Either way it is about the choice of test images, not about the spread over seeds.
    """
    difference = _difference(right, reference)
    interval = difference_interval(right, reference)
    if np.isin(difference, (-1, 0, 1)).all():
        p_value = _coin_p_value(int((difference > 0).sum()), int((difference < 0).sum()))
    else:
        p_value = _permutation_p_value(difference)
    return PairedTest(float(difference.mean()), interval, p_value)


def _difference(right: PerImageValues, reference: PerImageValues) -> Float[np.ndarray, " image"]:
    first, second = _numbers(right), _numbers(reference)
    _check(len(first), DRAWS)
    if len(first) != len(second):
        raise RequestError(
            f"A paired test needs both runs on the same test images, got {len(first)} and {len(second)} of them."
        )
    return first - second


def _coin_p_value(heads: int, tails: int) -> float:
    """How likely a fair coin is to fall at least as unevenly."""
    tosses = heads + tails
    ways = (_log_choose(tosses, fewer) for fewer in range(min(heads, tails) + 1))
    return min(1.0, 2 * math.fsum(math.exp(way - tosses * math.log(2)) for way in ways))


def _log_choose(tosses: int, heads: int) -> float:
    return math.lgamma(tosses + 1) - math.lgamma(heads + 1) - math.lgamma(tosses - heads + 1)


def _permutation_p_value(difference: Float[np.ndarray, " image"], draws: int = 10_000) -> float:
    """How often coins that turn each image's difference around give a mean at least as far from zero.

    The observed one counts as one of the draws (Phipson and Smyth, 2010), so the p-value is never 0.
    """
    unequal = difference[difference != 0]
    random, at_once = np.random.default_rng(0), max(1, _MEMORY // len(unequal))
    sums = [
        (random.integers(2, size=(min(at_once, draws - start), len(unequal)), dtype=np.int8) * 2.0 - 1) @ unequal
        for start in range(0, draws, at_once)
    ]
    # Sums of thirds in another order differ in the last digit, which must not make an equal one smaller.
    extreme = int((np.abs(np.concatenate(sums)) >= abs(unequal.sum()) - 1e-9).sum())
    return (extreme + 1) / (draws + 1)


def _unseen(images: int) -> float:
    """How frequent a thing may still be that none of the images showed (Clopper and Pearson, 1934).

    Resampling sees no spread in values that are all equal, and a model without a mistake would look certain.
    """
    return 1 - float(((1 - LEVEL) / 2) ** (1 / images))


def _percentiles(values: Float[np.ndarray, " draw"]) -> Interval:
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))


def _numbers(values: PerImageValues) -> NDArray[np.float64]:
    array = values.detach().cpu().numpy() if hasattr(values, "detach") else values
    return np.asarray(array, dtype=np.float64)


def _check(images: int, draws: int) -> None:
    if images < 1 or draws < 1:
        raise RequestError(f"A bootstrap needs at least one image and one draw, got {images} and {draws}.")
