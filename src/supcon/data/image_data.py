"""Labelled images in three splits, with the input size and normalisation an encoder needs."""

import csv
import io
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from supcon.base.shapes import Images, Labels, MultiLabels
from supcon.data.catalogue import Metric
from supcon.data.storage.channel_statistics import channel_statistics
from supcon.data.storage.stored_images import StoredImages

_COMPARED_AT_ONCE = 256
"""Images that are read at once to compare two splits."""

__all__ = ["ImageData", "Split", "channel_statistics", "join_splits"]


@dataclass(frozen=True, kw_only=True)
class Split:
    """Images (uint8) with their labels. Indexing with a tensor gives a whole batch."""

    images: Images | StoredImages
    """A tensor in memory, or `StoredImages` that are read when indexed; indexing either gives a tensor."""
    labels: Labels | MultiLabels

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: Tensor) -> tuple[Images, Labels | MultiLabels]:
        # index_select is ten times as fast as images[index] for small images.
        images = self.images[index] if isinstance(self.images, StoredImages) else self.images.index_select(0, index)
        return images, self.labels[index]

    def whole(self, index: Tensor) -> list[Tensor]:
        """Images as they are stored, for views to crop from; whole photographs if the layout keeps aspect ratios."""
        return self.images.whole(index) if isinstance(self.images, StoredImages) else list(self[index][0])

    @property
    def shape(self) -> tuple[int, int] | None:
        """Height and width of every image; None if they differ."""
        if isinstance(self.images, StoredImages) and not self.images.uniform:
            return None
        return self.images.shape[-2], self.images.shape[-1]

    def pick(self, key: Any) -> "Split":
        """A subset, by slice or index; images that are not in memory are not read."""
        images = self.images.pick(key) if isinstance(self.images, StoredImages) else self.images[key]
        return Split(images=images, labels=self.labels[key])

    @property
    def read_in_workers(self) -> bool:
        return isinstance(self.images, StoredImages) and self.images.reader.slow


def join_splits(first: Split, second: Split) -> Split:
    """Two splits of the same data concatenated; images that are not in memory are not read."""
    one, two = first.images, second.images
    labels = torch.cat([first.labels, second.labels])
    if isinstance(one, StoredImages) and isinstance(two, StoredImages):
        return Split(images=StoredImages(one.reader, np.concatenate([one.rows, two.rows])), labels=labels)
    return Split(images=torch.cat([one[:], two[:]]), labels=labels)


@dataclass(frozen=True, kw_only=True)
class ImageData:
    """A data set with the splits train, validation and test."""

    name: str
    class_names: tuple[str, ...]
    train: Split
    """Labelled images to train on."""
    validation: Split
    test: Split
    image_size: int
    """Side of the encoder's square input. Stored images may be larger: views crop them, evaluation uses the centre."""
    mean: tuple[float, ...]
    std: tuple[float, ...]
    with_unlabelled: Split | None = None
    """The training images followed by the unlabelled ones (label -1); none if all images are labelled."""
    metric: Metric = "top1"
    """How results on this data are reported."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Images that could not be read and were left out, each as (path, reason)."""
    tested_on_validation: bool = False
    """Whether `test` holds the validation images of data without test images, so that metrics are of those."""
    split_table: str = ""
    """A manifest of every image with its label and split, kept with a run so that later commands use the same split."""

    @property
    def pretraining(self) -> Split:
        """The images of stage 1: all training images, labelled or not."""
        return self.train if self.with_unlabelled is None else self.with_unlabelled

    @property
    def multi_label(self) -> bool:
        return self.train.labels.ndim == 2

    @property
    def channels(self) -> int:
        return self.train.images.shape[1]

    @property
    def stored_size(self) -> int:
        return self.train.images.shape[-1]

    @property
    def validation_is_test(self) -> bool:
        """Whether both splits have the same images, so that nothing can be fitted on one and measured on the other."""
        if not torch.equal(self.validation.labels, self.test.labels):
            return False
        batches = torch.arange(len(self.test)).split(_COMPARED_AT_ONCE)
        return all(torch.equal(self.validation[rows][0], self.test[rows][0]) for rows in batches)

    @property
    def counts(self) -> dict[str, int]:
        """Number of images in each split, and of unlabelled images if there are any."""
        unlabelled = len(self.pretraining) - len(self.train)
        counts = {"train": len(self.train), "validation": len(self.validation), "test": len(self.test)}
        return {**counts, "unlabelled": unlabelled} if unlabelled else counts

    @property
    def test_names(self) -> list[str]:
        """The name of every test image within its data set."""
        return self._names("test")

    @property
    def train_names(self) -> list[str]:
        """The name of every labelled training image; the table has the unlabelled ones after them."""
        return self._names("train")[: len(self.train)]

    def _names(self, split: str) -> list[str]:
        table = csv.DictReader(io.StringIO(self.split_table))
        return [row["path"] for row in table if row["split"] == split]

    @property
    def class_counts(self) -> dict[str, int]:
        """Number of training images of each class."""
        labels = self.train.labels.numpy()
        counts = (labels > 0).sum(0) if labels.ndim == 2 else np.bincount(labels, minlength=len(self.class_names))
        return dict(zip(self.class_names, counts.tolist(), strict=True))
