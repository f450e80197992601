"""A few training images of any data spec, without reading the rest."""

from pathlib import Path

import torch

from supcon.data.config import DataConfig
from supcon.data.decode import choose_layout, decode_all
from supcon.data.listing import list_splits
from supcon.data.load import load_data
from supcon.shapes import Images


def sample_images(config: DataConfig, count: int, seed: int = 0) -> tuple[Images, int]:
    """`count` images (fewer where there are fewer), drawn by `seed`, and the size an encoder would see them at."""
    generator = torch.Generator().manual_seed(seed)
    root = Path(config.spec).expanduser()
    if config.spec != "digits" and root.is_dir():
        paths = list_splits(root)[1]["train"].paths
        layout = choose_layout(paths, config.image_size)
        chosen = torch.randperm(len(paths), generator=generator)[:count].tolist()
        return decode_all([paths[index] for index in chosen], layout), layout.image_size
    data = load_data(config, seed)
    return data.train.images[torch.randperm(len(data.train), generator=generator)[:count]], data.image_size
