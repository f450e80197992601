"""Number and size of the images of a data set, without decoding them."""

from typing import NamedTuple

import numpy as np

from supcon.data.config import DataConfig
from supcon.data.listed_data import open_collection
from supcon.data.sources.encoded_images import Picked
from supcon.data.storage.decode import choose_layout


class DataSummary(NamedTuple):
    """The properties of a data set by which a recipe is chosen."""

    images: int
    """Number of training images."""
    side: int
    """Pixels of the shorter side: the median of a sample, at most 224."""


def data_summary(config: DataConfig) -> DataSummary:
    """Lists the images of `config`, and reads the headers of some."""
    collection = open_collection(config)
    if isinstance(collection.images, np.ndarray):
        return DataSummary(len(collection.train), min(collection.images.shape[-2:]))
    sample = Picked(collection.images, collection.train.tolist())
    return DataSummary(len(collection.train), choose_layout(sample, None).image_size)
