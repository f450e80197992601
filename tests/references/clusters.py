"""Unit rows in clusters, one cluster a class."""

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]
Classes = NDArray[np.int64]


def clusters(per_class: int, classes: int, noise: float, seed: int = 0) -> tuple[Rows, Classes]:
    generator = np.random.default_rng(seed)
    centres = generator.normal(size=(classes, 16))
    labels = np.repeat(np.arange(classes), per_class)
    rows = centres[labels] + noise * generator.normal(size=(len(labels), 16))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32), labels
