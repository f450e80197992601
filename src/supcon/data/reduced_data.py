"""Reduced training data for studies of data efficiency, long-tailed classes and label noise.

Only the training split is changed; validation and test images stay the same, so that results are comparable.
"""

import numpy as np

from supcon.base.errors import RequestError
from supcon.data.stratified_splits import Indices


def reduce_classes(
    labels: Indices,
    seed: int,
    *,
    fraction: float | None = None,
    per_class: int | None = None,
    imbalance_factor: float | None = None,
) -> Indices:
    """The rows to keep, sorted: a random share or number of every class's images, or a long tail over the classes.

    With `imbalance_factor` f, class k of K keeps n * f**(-k / (K - 1)) images, where n is the size of the largest
    class, so that the first class has f times as many as the last (Cui et al., 2019). Every class keeps at least one.

    >>> np.bincount(np.repeat([0, 1, 2], 100)[reduce_classes(np.repeat([0, 1, 2], 100), 0, imbalance_factor=100)])
    array([100,  10,   1])
    """
    classes, counts = np.unique(labels, return_counts=True)
    wanted = counts.astype(np.float64)
    if imbalance_factor is not None:
        places = np.arange(len(classes)) / max(1, len(classes) - 1)
        wanted = np.minimum(wanted, counts.max() * imbalance_factor**-places)
    if fraction is not None:
        wanted = wanted * fraction
    if per_class is not None:
        wanted = np.minimum(wanted, per_class)
    keep = np.maximum(np.rint(wanted), 1).astype(np.int64)
    draw = np.random.default_rng(seed)
    kept = [draw.permutation(np.flatnonzero(labels == c))[:n] for c, n in zip(classes, keep, strict=True)]
    return np.sort(np.concatenate(kept))


def add_label_noise(labels: Indices, share: float, classes: int, seed: int) -> Indices:
    """Replaces a random `share` of the labels, each by another class drawn uniformly (symmetric noise).

    >>> (add_label_noise(np.zeros(1000, dtype=np.int64), 0.3, 5, seed=0) != 0).sum()
    np.int64(300)
    """
    if labels.ndim > 1:
        raise RequestError("data.label_noise needs one label per image; leave it out for multi-label data.")
    draw = np.random.default_rng([seed, 1])
    changed = draw.permutation(len(labels))[: round(share * len(labels))]
    noisy = labels.copy()
    noisy[changed] = (labels[changed] + draw.integers(1, classes, len(changed))) % classes
    return noisy
