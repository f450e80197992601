"""How many images there are and how large, before anything is decoded."""

from typing import NamedTuple

import numpy as np

from supcon.data.config import DataConfig
from supcon.data.load import open_collection
from supcon.data.sources.encoded_images import Picked
from supcon.data.storage.decode import choose_layout


class FirstLook(NamedTuple):
    """What decides which recipe fits."""

    images: int
    """That training images are taken from."""
    side: int
    """Pixels of the shorter side: the median of a sample, at most 224."""


def first_look(config: DataConfig) -> FirstLook:
    """Lists the images that `config` names, and reads the headers of some."""
    collection = open_collection(config)
    if isinstance(collection.images, np.ndarray):
        return FirstLook(len(collection.train), min(collection.images.shape[-2:]))
    sample = Picked(collection.images, collection.train.tolist())
    return FirstLook(len(collection.train), choose_layout(sample, None).image_size)
