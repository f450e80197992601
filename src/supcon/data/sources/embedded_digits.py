"""The 1,797 handwritten digits of 8x8 pixels included in scikit-learn: data that needs no download.

The split does not depend on the run's seed, so that results of different runs are on the same 360 test images.
"""

import numpy as np
from sklearn.datasets import load_digits

from supcon.data.sources.collection import Collection
from supcon.data.stratified_splits import hold_out

_SPLIT_SEED = 0


def digits() -> Collection:
    """1,257 training, 180 validation and 360 test images of ten classes, 8x8 pixels."""
    source = load_digits()
    labels = source.target.astype(np.int64)
    rest, test = hold_out(labels, 360 / len(labels), _SPLIT_SEED)
    train, validation = (rest[part] for part in hold_out(labels[rest], 180 / len(rest), _SPLIT_SEED))
    return Collection(
        name="digits",
        class_names=tuple(str(digit) for digit in range(10)),
        images=np.rint(source.images * (255 / 16)).astype(np.uint8)[:, None],
        labels=labels,
        given={"train": train, "validation": validation, "test": test},
    )
