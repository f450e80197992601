"""Labelled images before decoding: the common form of every kind of DATA."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from supcon.data.catalogue import Metric
from supcon.data.sources.encoded_images import EncodedImages
from supcon.data.stratified_splits import Indices, SplitName

Pixels = NDArray[np.uint8]
"""Decoded images, [image, channel, height, width]."""


@dataclass(frozen=True, kw_only=True)
class Collection:
    """All images of a data set with their labels, and the splits that the data defines."""

    name: str
    class_names: tuple[str, ...]
    images: EncodedImages | Pixels
    labels: Indices
    """[image], where -1 is unlabelled; for multi-label data [image, class]: 1 present, 0 absent, -1 not scored."""
    given: Mapping[SplitName, Indices] = field(default_factory=dict)
    """The rows of every split that the data defines; empty: all are training images."""
    metric: Metric = "top1"

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def multi_label(self) -> bool:
        return self.labels.ndim == 2

    @property
    def train(self) -> Indices:
        """The rows of the training images."""
        return self.given.get("train", np.arange(len(self)))

    @property
    def tested_on_validation(self) -> bool:
        """Whether metrics are measured on its validation images, because it has no test images."""
        return "validation" in self.given and "test" not in self.given

    def image_name(self, row: int) -> str:
        """The image's name within its data set; in arrays, its index."""
        return str(row) if isinstance(self.images, np.ndarray) else self.images.name(row)
