"""How sure a figure is, given how few test images it rests on: bootstrap intervals, and a paired test of two runs."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from supcon.errors import RequestError

LEVEL = 0.95
DRAWS = 2000
_MOST_DISTINCT = 100


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


def accuracy_interval(right: Bool[Tensor, "image"], *, draws: int = DRAWS, seed: int = 0) -> Interval:
    """Bootstrap interval of an accuracy, from which images were right.

    >>> low, high = accuracy_interval(torch.arange(1000) < 900)
    >>> round(low, 2), round(high, 2)
    (0.88, 0.92)
    """
    _check(len(right), draws)
    if right.all():
        return Interval(1 - _unseen(len(right)), 1.0)
    return mean_interval(right.double(), draws=draws, seed=seed) if right.any() else Interval(0.0, _unseen(len(right)))


def mean_interval(values: Float[Tensor, "image"], *, draws: int = DRAWS, seed: int = 0) -> Interval:
    """Bootstrap interval of a mean over images, such as the log-likelihood or the Brier score.

    Only how often each distinct value comes up matters to a mean, so where there are few of them the draws are
    multinomial: they cost the same for ten images and for a million.
    """
    _check(len(values), draws)
    numbers = values.double().cpu()
    distinct, counts = np.unique(numbers.numpy(), return_counts=True)
    if len(distinct) > _MOST_DISTINCT:
        return measure_interval(lambda index: numbers[index].mean().item(), len(values), draws=draws, seed=seed)
    resampled = np.random.default_rng(seed).multinomial(len(values), counts / len(values), size=draws)
    return _percentiles(torch.from_numpy(resampled @ distinct / len(values)))


def measure_interval(
    measure: Callable[[Int[Tensor, "image"]], float], images: int, *, draws: int = DRAWS, seed: int = 0
) -> Interval:
    """Bootstrap interval of any measure of a test set, given as a function of the indices of its images.

    >>> right = torch.tensor([1.0, 1.0, 1.0, 0.0]).repeat(100)
    >>> low, high = measure_interval(lambda index: right[index].mean().item(), 400)
    >>> round(low, 1), round(high, 1)
    (0.7, 0.8)
    """
    _check(images, draws)
    generator = torch.Generator().manual_seed(seed)
    values = [measure(torch.randint(images, (images,), generator=generator)) for _ in range(draws)]
    return _percentiles(torch.tensor(values, dtype=torch.float64))


def paired_test(right: Bool[Tensor, "image"], reference: Bool[Tensor, "other"]) -> PairedTest:
    """Whether one run is better than another, from which of the same test images each got right.

    The p-value is McNemar's (1947), exact and two-sided: only images that one run got right and the other did not say
    anything, and between equally good runs each of them is a fair coin.
    """
    _check(len(right), draws=DRAWS)
    if len(right) != len(reference):
        raise RequestError(
            f"A paired test needs both runs on the same test images, got {len(right)} and {len(reference)} of them."
        )
    difference = right.double() - reference.double()
    gained, lost = int((difference > 0).sum()), int((difference < 0).sum())
    reach = _unseen(len(difference))
    interval = mean_interval(difference) if gained + lost else Interval(-reach, reach)
    return PairedTest(difference.mean().item(), interval, _coin_p_value(gained, lost))


def _coin_p_value(heads: int, tails: int) -> float:
    """How likely a fair coin is to fall at least as unevenly."""
    tosses, fewer = heads + tails, torch.arange(min(heads, tails) + 1, dtype=torch.float64)
    log_ways = math.lgamma(tosses + 1) - torch.lgamma(fewer + 1) - torch.lgamma(tosses - fewer + 1)
    return min(1.0, 2 * (log_ways - tosses * math.log(2)).exp().sum().item())


def _unseen(images: int) -> float:
    """How frequent a thing may still be that none of the images showed (Clopper and Pearson, 1934).

    Resampling sees no spread in values that are all equal, and a model without a mistake would look certain.
    """
    return 1 - float(((1 - LEVEL) / 2) ** (1 / images))


def _percentiles(values: Float[Tensor, "draw"]) -> Interval:
    ends = torch.tensor([(1 - LEVEL) / 2, (1 + LEVEL) / 2], dtype=torch.float64)
    low, high = values.quantile(ends).tolist()
    return Interval(low, high)


def _check(images: int, draws: int) -> None:
    if images < 1 or draws < 1:
        raise RequestError(f"A bootstrap needs at least one image and one draw, got {images} and {draws}.")
