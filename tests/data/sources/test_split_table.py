from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from supcon.base.errors import RequestError
from supcon.data.config import DataConfig
from supcon.data.image_data import ImageData
from supcon.data.load import load_data
from supcon.data.sources.collection import Collection
from supcon.data.sources.split_table import read_split_table, write_split_table
from supcon.data.stratified_splits import Splits

MakeFolder = Callable[..., Path]


def same(one: ImageData, other: ImageData) -> bool:
    return all(
        torch.equal(getattr(one, split).images[:], getattr(other, split).images[:])
        and torch.equal(getattr(one, split).labels, getattr(other, split).labels)
        for split in ("train", "validation", "test", "pretraining")
    )


def test_a_run_keeps_its_splits_when_images_and_seeds_change(make_folder: MakeFolder) -> None:
    root = make_folder({'a "b", c': 12, "<i>ünï</i>": 12, "unlabelled": 3})
    config = DataConfig(spec=str(root), label_noise=0.25)
    first = load_data(config, seed=1)
    Image.fromarray(np.zeros((8, 8, 3), np.uint8)).save(root / 'a "b", c' / "new.png")
    assert same(load_data(config, seed=7, split_table=first.split_table), first)
    assert not same(load_data(config, seed=1), first)
    assert first.counts["unlabelled"] == 3


def test_the_table_is_a_manifest(make_folder: MakeFolder) -> None:
    root = make_folder({"a": 12, "b": 12})
    first = load_data(DataConfig(spec=str(root)), seed=1)
    (root / "splits.csv").write_text(first.split_table)
    again = load_data(DataConfig(spec=str(root / "splits.csv")))
    assert same(again, first)


def test_arrays_are_numbered() -> None:
    first = load_data(DataConfig(label_noise=0.1), seed=3)
    assert first.split_table.startswith("path,label,split\n")
    assert same(load_data(DataConfig(label_noise=0.1), seed=4, split_table=first.split_table), first)


def test_an_image_that_is_gone_is_named(make_folder: MakeFolder) -> None:
    root = make_folder({"a": 6, "b": 6})
    config = DataConfig(spec=str(root))
    table = load_data(config).split_table
    (root / "b" / "003.png").unlink()
    with pytest.raises(RequestError, match=r"^b/003\.png was in this run's data and is no longer in photos;"):
        load_data(replace(config), split_table=table)


def test_a_scored_image_of_no_class_keeps_its_split() -> None:
    """With several labels, an image may have none of the classes; only one that is not scored at all is unlabelled."""
    labels = np.array([[1, 0], [0, -1], [-1, -1], [0, 0], [1, 1], [0, -1]])
    pixels = np.zeros((len(labels), 1, 4, 4), np.uint8)
    collection = Collection(name="voc", class_names=("a", "b"), images=pixels, labels=labels)
    rows = {"train": [0, 1], "unlabelled": [2], "validation": [3], "test": [4, 5]}
    splits = Splits(**{name: np.array(some) for name, some in rows.items()})
    found, again = read_split_table(write_split_table(collection, splits, labels), collection)
    assert {name: getattr(found, name).tolist() for name in rows} == rows
    np.testing.assert_array_equal(again, labels)
