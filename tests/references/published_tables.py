"""Reading the tables in `published/`, and the photographs they are about."""

import csv
from functools import cache
from pathlib import Path

import numpy as np
import torch
from sklearn.datasets import load_sample_images
from torch import Tensor

_FOLDER = Path(__file__).parent / "published"
_PLACES = slice(18, 224, 37)
"""Rows and columns of the pixels in the tables."""

Row = dict[str, str]


def read_table(name: str) -> list[Row]:
    """The rows of a table."""
    with (_FOLDER / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@cache
def photograph(name: str, side: int = 224) -> Tensor:
    """`china` or `flower`, uint8 [3, side, side], cut as the tables' photographs are."""
    pixels = load_sample_images().images[["china", "flower"].index(name)][101:325, 208:432]
    if side == 32:
        pixels = ((pixels.astype(np.int64).reshape(32, 7, 32, 7, 3).sum((1, 3)) + 24) // 49).astype(np.uint8)
    return torch.from_numpy(pixels.copy()).permute(2, 0, 1).contiguous()


def table_pixels(row: Row, column: str = "pixels") -> Tensor:
    """The pixels of a row as [3, pixel]."""
    return torch.tensor(list(bytes.fromhex(row[column]))).view(-1, 3).T


def pixels_of(image: Tensor) -> Tensor:
    """The same pixels of ours."""
    return image[:, _PLACES, _PLACES].flatten(1).int()


def table_means(row: Row) -> Tensor:
    """Mean of red, green and blue."""
    return torch.tensor([float(row[colour]) for colour in ("red", "green", "blue")])


def means_of(image: Tensor) -> Tensor:
    """The same of ours."""
    return image.float().mean((1, 2))
