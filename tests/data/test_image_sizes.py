"""Number and size of the images of a data set."""

from collections.abc import Callable
from pathlib import Path

from supcon.data.config import DataConfig
from supcon.data.image_sizes import DataSummary, data_summary


def test_training_images_are_counted_and_the_shorter_side_measured(make_folder: Callable[..., Path]) -> None:
    root = make_folder({"train/cat": 4, "train/dog": 3, "test/cat": 2, "test/dog": 2}, size=(90, 70))
    assert data_summary(DataConfig(spec=str(root))) == DataSummary(images=7, side=70)


def test_arrays_have_their_size(make_folder: Callable[..., Path]) -> None:
    assert data_summary(DataConfig(spec="digits")).side == 8


def test_large_photographs_count_as_224_pixels(make_folder: Callable[..., Path]) -> None:
    root = make_folder({"cat": 3, "dog": 3}, size=(400, 300))
    assert data_summary(DataConfig(spec=str(root))).side == 224
