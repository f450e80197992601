"""How far an accuracy measured on these test images may lie from the accuracy on all images like them."""

import numpy as np
from jaxtyping import Bool, Float

DRAWS = 10_000
LEVEL = 0.95

Interval = tuple[float, float]


def accuracy_interval(correct: Bool[np.ndarray, " image"]) -> Interval:
    """The 95 % bootstrap interval of the accuracy.

    >>> low, high = accuracy_interval(np.repeat([True, False], [900, 100]))
    >>> round(low, 2), round(high, 2)
    (0.88, 0.92)
    """
    if correct.all() or not correct.any():
        reach = _unseen(len(correct))
        return (1 - reach, 1.0) if correct.all() else (0.0, reach)
    return _bootstrap(correct.astype(np.float64))


def difference_interval(right: Float[np.ndarray, " image"], reference: Float[np.ndarray, " image"]) -> Interval:
    """The 95 % bootstrap interval of how much higher one accuracy is than another on the same images.

    Both are given per image: 0 or 1, or the share of several seeds that got it right. Paired: an image is drawn with
    what both made of it, so what is hard for both does not blur the difference.
    """
    difference = right - reference
    if not difference.any():
        reach = _unseen(len(difference))
        return -reach, reach
    return _bootstrap(difference)


def _bootstrap(values: Float[np.ndarray, " image"]) -> Interval:
    """Percentiles of the mean over test images drawn with replacement.

    Only how often each distinct value comes up matters to the mean, so the draws are multinomial and cost the same for
    ten images and for a million.
    """
    distinct, counts = np.unique(values, return_counts=True)
    draws = np.random.default_rng(0).multinomial(len(values), counts / len(values), size=DRAWS)
    low, high = np.quantile(draws @ distinct / len(values), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _unseen(images: int) -> float:
    """How frequent a thing may still be that none of the images showed (Clopper and Pearson, 1934).

    Resampling sees no spread in values that are all equal, and a model without a mistake would look certain.
    """
    return 1 - ((1 - LEVEL) / 2) ** (1 / images) if images else float("nan")
