"""A few training images of any data spec, without reading the rest."""

import numpy as np
import torch

from supcon.base.shapes import Images
from supcon.data.config import DataConfig
from supcon.data.listed_data import open_collection
from supcon.data.load import squared
from supcon.data.sources.encoded_images import Picked
from supcon.data.storage.decode import choose_layout
from supcon.data.storage.decode_all import decode_all


def sample_images(config: DataConfig, count: int, seed: int = 0) -> tuple[Images, int]:
    """At most `count` random training images, drawn with `seed`, and the image size an encoder would get."""
    generator = torch.Generator().manual_seed(seed)
    collection = open_collection(config)
    rows = collection.train
    chosen = rows[torch.randperm(len(rows), generator=generator)[:count].numpy()]
    if isinstance(collection.images, np.ndarray):
        images = squared(torch.from_numpy(np.ascontiguousarray(collection.images[chosen])), config.image_size)
        return images, images.shape[-1]
    layout = choose_layout(Picked(collection.images, rows.tolist()), config.image_size)
    return decode_all([collection.images[row] for row in chosen.tolist()], layout), layout.image_size
