"""Labelled images before decoding."""

from pathlib import Path

import numpy as np

from supcon.data.sources.collection import Collection
from supcon.data.sources.encoded_images import Files

FILES = Files(Path("/photos"), ["/photos/a/0.png", "/photos/b/1.png"])


def collection(**changes: object) -> Collection:
    values = {"name": "x", "class_names": ("a", "b"), "images": FILES, "labels": np.array([0, 1])}
    return Collection(**{**values, **changes})  # type: ignore[arg-type]


def test_without_given_splits_all_images_are_for_training() -> None:
    plain = collection()
    assert len(plain) == 2
    assert plain.train.tolist() == [0, 1]
    assert not plain.multi_label
    assert not plain.tested_on_validation


def test_given_validation_images_and_no_test_images() -> None:
    given = {"train": np.array([1]), "validation": np.array([0])}
    found = collection(given=given)
    assert found.train.tolist() == [1]
    assert found.tested_on_validation
    assert not collection(given={**given, "test": np.array([0])}).tested_on_validation


def test_images_are_named_by_their_file_or_their_number() -> None:
    assert collection().image_name(1) == "b/1.png"
    assert collection(images=np.zeros((2, 1, 4, 4), dtype=np.uint8)).image_name(1) == "1"
    assert collection(labels=np.array([[0, 1], [1, 1]])).multi_label
