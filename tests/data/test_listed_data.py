"""Counts, splits and sizes before anything is decoded."""

from collections.abc import Callable
from pathlib import Path

import pytest

from supcon.data.config import DataConfig
from supcon.data.listed_data import list_data


def test_counts_are_those_of_the_folders(make_folder: Callable[..., Path]) -> None:
    counts = {"train/cat": 8, "train/dog": 6, "val/cat": 2, "val/dog": 3, "test/cat": 1, "test/dog": 4}
    listed = list_data(DataConfig(spec=str(make_folder(counts))))
    assert listed.counts == {"train": 14, "unlabelled": 0, "validation": 5, "test": 5}
    assert listed.class_counts == {"train": [8, 6], "validation": [2, 3], "test": [1, 4]}
    assert sorted(listed.rows.tolist()) == list(range(24))
    assert listed.decoded_bytes == 24 * 3 * 8 * 8
    assert listed.storage == "memory"
    assert listed.split_names["test"] == "test"


def test_validation_images_are_called_so_where_there_are_no_test_images(make_folder: Callable[..., Path]) -> None:
    listed = list_data(DataConfig(spec=str(make_folder({"train/cat": 8, "train/dog": 8, "val/cat": 2, "val/dog": 2}))))
    assert (listed.split_names["validation"], listed.split_names["test"]) == ("held out", "validation")
    assert listed.counts["test"] == 4


def test_another_size_keeps_the_splits(make_folder: Callable[..., Path]) -> None:
    config = DataConfig(spec=str(make_folder({"cat": 10, "dog": 10}, size=(60, 50))))
    listed = list_data(config, seed=1)
    smaller = listed.with_config(DataConfig(spec=config.spec, image_size=24, hold="decode"))
    assert (listed.layout.image_size, smaller.layout.image_size) == (50, 24)
    assert smaller.splits is listed.splits
    assert smaller.storage == "decode"


@pytest.mark.parametrize(("changes", "train"), [({"fraction": 0.5}, 8), ({"per_class": 3}, 6)])
def test_training_images_are_reduced(changes: dict[str, float], train: int, make_folder: Callable[..., Path]) -> None:
    folders = {"train/cat": 8, "train/dog": 8, "val/cat": 2, "val/dog": 2, "test/cat": 2, "test/dog": 2}
    listed = list_data(DataConfig(spec=str(make_folder(folders)), **changes))  # type: ignore[arg-type]
    assert listed.counts["train"] == train
    assert listed.counts["test"] == 4
